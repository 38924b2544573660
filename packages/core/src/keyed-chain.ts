import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import type { KeyRing } from './key-ring.ts';

/** What ties an entry of a log to all entries before it; hexadecimal, with the id of the key that made it. */
export type Link = { kid: string; mac: string };

/** Where a log stood at a moment, signed: a line to keep where the database cannot reach it. */
export type Checkpoint = { log: string; seq: string; mac: string; at: string; kid: string; signature: string };

/** The link before the first entry of a log. */
export const NO_LINK = '0'.repeat(64);

/** A chain over the entries of one log. Its keys are not in the database, so who can write there still cannot make a link. */
export type KeyedChain = {
  /** The link of an entry that follows the one with `previousMac` (`NO_LINK` for the first), under the current key. */
  link(previousMac: string, content: Uint8Array): Link;
  /** Whether the ring has the key. */
  knows(kid: string): boolean;
  /** Whether `link` is of this entry after that one. Throws when its key is not in the ring. */
  holds(link: Link, previousMac: string, content: Uint8Array): boolean;
  /** Signs where the log stands. */
  checkpoint(seq: bigint, mac: string, at: Date): Checkpoint;
  /** Whether the checkpoint was signed with one of the keys, for this log. */
  isGenuine(checkpoint: Checkpoint): boolean;
};

/**
 * The chain of the log named `log`. Each use and log has a key of its own, derived from the ring's (HKDF-SHA-256), so that a link
 * of one log is none of another. Keys rotate with overlap: the first of the ring makes links, all of them check.
 */
export function keyedChain(ring: KeyRing, log: string): KeyedChain {
  const derived = new Map<string, Buffer>();
  const keyFor = (kid: string, use: 'link' | 'checkpoint'): Buffer => {
    const id = `${use} ${kid}`;
    const known = derived.get(id);
    if (known !== undefined) return known;
    const root = ring.keys.get(kid);
    if (root === undefined) throw new Error(`no chain key with id ${kid}`);
    const key = Buffer.from(hkdfSync('sha256', root, '', `gerbang ${use} ${log}`, 32));
    derived.set(id, key);
    return key;
  };
  const macOf = (kid: string, previousMac: string, content: Uint8Array): Buffer =>
    createHmac('sha256', keyFor(kid, 'link')).update(Buffer.from(previousMac, 'hex')).update(content).digest();
  const signatureOf = ({ kid, seq, mac, at }: Omit<Checkpoint, 'signature' | 'log'>): Buffer =>
    createHmac('sha256', keyFor(kid, 'checkpoint'))
      .update(JSON.stringify([log, seq, mac, at]))
      .digest();
  return {
    link(previousMac, content) {
      const kid = ring.currentKid;
      return { kid, mac: macOf(kid, previousMac, content).toString('hex') };
    },
    knows: (kid) => ring.keys.has(kid),
    holds: ({ kid, mac }, previousMac, content) => isSame(macOf(kid, previousMac, content), mac),
    checkpoint(seq, mac, at) {
      const signed = { seq: String(seq), mac, at: at.toISOString(), kid: ring.currentKid };
      return { log, ...signed, signature: signatureOf(signed).toString('hex') };
    },
    isGenuine: (checkpoint) =>
      checkpoint.log === log && ring.keys.has(checkpoint.kid) && isSame(signatureOf(checkpoint), checkpoint.signature),
  };
}

function isSame(expected: Buffer, hex: string): boolean {
  const given = Buffer.from(hex, 'hex');
  return given.length === expected.length && timingSafeEqual(given, expected);
}
