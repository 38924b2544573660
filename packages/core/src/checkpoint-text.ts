import type { Checkpoint } from './keyed-chain.ts';

const TEXT = /^([a-z]+)\/(\d{1,12})\/([0-9T:.Z-]{24})\/([A-Za-z0-9_-]{1,64})\/([a-p]{64})\/([a-p]{64})$/;

/**
 * A checkpoint as one word for a log line. Its codes are written in letters only: a logger masks long numbers, which may be card
 * numbers, and hides what is called a signature.
 */
export function checkpointText({ log, seq, mac, at, kid, signature }: Checkpoint): string {
  return [log, seq, at, kid, lettersOf(mac), lettersOf(signature)].join('/');
}

/** Undefined where the text is no checkpoint. Whether it is genuine, `KeyedChain.isGenuine` says. */
export function parseCheckpointText(text: string): Checkpoint | undefined {
  const [whole, log = '', seq = '', at = '', kid = '', mac = '', signature = ''] = TEXT.exec(text) ?? [];
  if (whole === undefined) return undefined;
  return { log, seq, at, kid, mac: hexOf(mac), signature: hexOf(signature) };
}

function lettersOf(hex: string): string {
  return hex.replaceAll(/[0-9a-f]/g, (digit) => String.fromCharCode(97 + Number.parseInt(digit, 16)));
}

function hexOf(letters: string): string {
  return letters.replaceAll(/[a-p]/g, (letter) => (letter.charCodeAt(0) - 97).toString(16));
}
