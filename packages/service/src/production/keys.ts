import { keysRefusals } from '@gerbang/keys';
import { type Check, textOf } from './settings.ts';

/** 32 random bytes have about 30 different ones; 16 or fewer come once in 10^15. */
const DIFFERENT_BYTES_MIN = 17;

/** The keys of stored secrets are in files, Vault or a key management service, for a service that has any. */
export const checkKeyStore: Check = ({ settings }) =>
  settings.has('KEYS_PREFIX') ? keysRefusals({ KEYS: textOf(settings, 'KEYS'), GERBANG_KEKS: settings.get('GERBANG_KEKS') }) : [];

/**
 * Keys are random, and one is not used for two purposes: every ring of keys that the configuration has, such as
 * CHAIN_KEYS. A key that somebody typed, or that is in a guide, is known to others.
 */
export const checkKeys: Check = ({ settings }) => {
  const reasons: string[] = [];
  const seen = new Map<string, string>();
  for (const [variable, value] of settings) {
    for (const key of keysIn(value)) {
      if (!isRandom(key)) reasons.push(`${variable} is not safe: a key is not random`);
      const other = seen.get(hexOf(key));
      if (other !== undefined) reasons.push(`${variable} is not safe: it has a key of ${other}, or one key twice`);
      seen.set(hexOf(key), variable);
    }
  }
  return reasons;
};

/** The keys of a value that is a ring of keys. */
function keysIn(value: unknown): Uint8Array[] {
  const keys: unknown = Object(value).keys;
  return keys instanceof Map ? [...keys.values()].filter((key) => key instanceof Uint8Array) : [];
}

/** Text is no random key: of 10^14 random ones one has only signs that can be typed. */
function isRandom(key: Uint8Array): boolean {
  const isText = key.every((byte) => byte >= 0x20 && byte <= 0x7e);
  return !isText && new Set(key).size >= DIFFERENT_BYTES_MIN;
}

function hexOf(key: Uint8Array): string {
  return Buffer.from(key).toString('hex');
}
