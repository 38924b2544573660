import type { Checkpoint } from './keyed-chain.ts';

const FIELDS = ['log', 'seq', 'mac', 'at', 'kid', 'signature'] as const;

/**
 * A checkpoint as one word of base64url, for a line of the log stream: nothing in it looks like a card number or is named like a
 * secret, so nothing on the line's way masks a part of it.
 */
export function checkpointText(checkpoint: Checkpoint): string {
  return Buffer.from(JSON.stringify(FIELDS.map((field) => checkpoint[field]))).toString('base64url');
}

/** The checkpoint of such a text; undefined for any other. Its signature is not checked. */
export function parseCheckpoint(text: string): Checkpoint | undefined {
  const values = parsed(text);
  if (!Array.isArray(values) || values.length !== FIELDS.length) return undefined;
  const [log, seq, mac, at, kid, signature]: unknown[] = values;
  if (typeof log !== 'string' || typeof seq !== 'string' || typeof mac !== 'string') return undefined;
  if (typeof at !== 'string' || typeof kid !== 'string' || typeof signature !== 'string') return undefined;
  return /^\d{1,19}$/.test(seq) ? { log, seq, mac, at, kid, signature } : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
}
