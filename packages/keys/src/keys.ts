import { decrypt, encrypt } from './aes-gcm.ts';
import { createDataKeys, LIMITS, type Limits } from './data-keys.ts';
import { type Envelope, formatSealed, fromEnvelope, parseSealed, toEnvelope } from './envelope.ts';
import type { KeyEncryption } from './key-encryption.ts';
import type { Purpose, Secret } from './purpose.ts';

/** Seals and opens what a service keeps secret; `P` are the purposes that it was given. */
export type Keys<P extends Purpose = Purpose> = {
  /**
   * Seals to what it is for and whose it is. `fresh` wraps a data key for this one only. Refusals: unavailable (the keys can't be
   * reached now).
   */
  seal(secret: Secret<P>, plain: string | Uint8Array, options?: { fresh?: boolean }): Promise<string>;
  /**
   * The text that was sealed. Refusals: unavailable. Throws when its key is missing, when anything of it was changed, or when it
   * was sealed for another purpose or owner.
   */
  open(secret: Secret<P>, sealed: string): Promise<string>;
  /** The same as bytes. */
  openBytes(secret: Secret<P>, sealed: string): Promise<Buffer>;
  /** The `kid` that everything is sealed under from now on: that of the newest key. Refusals: unavailable. */
  newestKid(purpose: P): Promise<string>;
};

/** `adapters`: the first seals, all of them open, so that a deployment can move from one to another. */
export function createKeys<P extends Purpose>(
  purposes: readonly P[],
  adapters: readonly [KeyEncryption, ...KeyEncryption[]],
  options: { limits?: Partial<Limits>; nowMs?: () => number; failed?: (purpose: Purpose, error: unknown) => void } = {},
): Keys<P> {
  const dataKeys = createDataKeys(adapters, {
    limits: { ...LIMITS, ...options.limits },
    nowMs: options.nowMs ?? (() => performance.now()),
    failed: options.failed ?? (() => {}),
  });
  const mustHave = (purpose: P) => {
    if (!purposes.includes(purpose)) throw new Error(`this service seals and opens nothing for ${purpose}`);
  };
  const openBytes = async (secret: Secret<P>, sealed: string): Promise<Buffer> => {
    mustHave(secret.purpose);
    const envelope = toEnvelope(parseSealed(sealed));
    const { kid, wrapped } = envelope;
    if (wrapped === undefined) return openEarlier(adapters, secret, envelope);
    return decrypt(await dataKeys.forOpen(secret.purpose, kid, wrapped), envelope, associatedData(secret));
  };
  return {
    async seal(secret, plain, { fresh = false } = {}) {
      mustHave(secret.purpose);
      const { kid, wrapped, key } = await dataKeys.forSeal(secret.purpose, { fresh });
      const text = typeof plain === 'string' ? Buffer.from(plain) : plain;
      return formatSealed(fromEnvelope({ kid, wrapped, ...encrypt(key, text, associatedData(secret)) }));
    },
    open: async (secret, sealed) => (await openBytes(secret, sealed)).toString(),
    openBytes,
    async newestKid(purpose) {
      mustHave(purpose);
      return dataKeys.renew(purpose);
    },
  };
}

function associatedData({ purpose, owner }: Secret): string {
  return `${purpose}:${owner}`;
}

/** Before there were data keys and purposes, all lay right under one key, and direct debit had a purpose for each of its fields. */
async function openEarlier(adapters: readonly KeyEncryption[], secret: Secret, envelope: Envelope): Promise<Buffer> {
  const aad = secret.purpose === 'customer-data' ? secret.owner : associatedData(secret);
  for (const adapter of adapters) {
    const key = await adapter.earlierKey(envelope.kid);
    if (key !== undefined) return decrypt(key, envelope, aad);
  }
  throw new Error(`no key-encryption key with id ${envelope.kid}`);
}
