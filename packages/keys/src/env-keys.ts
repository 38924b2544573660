import { hkdfSync } from 'node:crypto';
import type { KeyRing } from '@gerbang/core';
import { KEY_BYTES, unwrapUnder, wrapUnder } from './aes-gcm.ts';
import type { KeyEncryption } from './key-encryption.ts';
import type { Purpose } from './purpose.ts';

/**
 * Keys from an environment variable, for sandboxes: one root key, of which each purpose's key is derived (HKDF-SHA-256). Who has
 * the root key has all of them, so this separates purposes but not services.
 */
export function openEnvKeys(ring: KeyRing): KeyEncryption {
  const derived = new Map<string, Uint8Array>();
  const keyFor = (purpose: Purpose, kid: string): Uint8Array => {
    const root = ring.keys.get(kid);
    if (root === undefined) throw new Error(`no key-encryption key with id ${kid}`);
    const known = derived.get(`${purpose}:${kid}`);
    const key = known ?? new Uint8Array(hkdfSync('sha256', root, '', `gerbang key of ${purpose}`, KEY_BYTES));
    derived.set(`${purpose}:${kid}`, key);
    return key;
  };
  return {
    name: 'env',
    async wrap(purpose, dataKey) {
      const kid = ring.currentKid;
      return { kid, wrapped: wrapUnder(keyFor(purpose, kid), dataKey, purpose) };
    },
    unwrap: async (purpose, { kid, wrapped }) => unwrapUnder(keyFor(purpose, kid), wrapped, purpose),
    earlierKey: async (kid) => ring.keys.get(kid),
  };
}
