import { randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { KEY_BYTES } from './aes-gcm.ts';
import { kidOf, partsOfKid } from './envelope.ts';
import type { KeyEncryption } from './key-encryption.ts';
import type { Purpose } from './purpose.ts';

/** How long and how often a data key seals, and how many are kept for opening. */
export type Limits = {
  /** Then the next one is made beside the work: a new key-encryption key is taken up that soon. */
  renewAfterMs: number;
  /** While the key-encryption keys can't be reached, a data key goes on sealing that long. */
  usableMs: number;
  /** AES-GCM with random IVs allows 2^32 under one key. */
  sealsMax: number;
  openedMax: number;
  /** How long an opened data key is known: that long a key that was taken away still opens. */
  openedMs: number;
};

export const LIMITS: Limits = {
  renewAfterMs: 10 * 60_000,
  usableMs: 3_600_000,
  sealsMax: 2 ** 20,
  openedMax: 10_000,
  openedMs: 3_600_000,
};

/** After a failure to make one, the next try is that much later. */
const RETRY_MS = 5_000;

export type DataKey = { kid: string; wrapped: Uint8Array; key: Uint8Array };
type Current = DataKey & { madeAtMs: number; seals: number; renewAtMs: number };

/** The data keys of a process: one for each purpose to seal with, and those that it has opened lately. */
export type DataKeys = {
  /** The one to seal with. `fresh`: one that seals nothing else. */
  forSeal(purpose: Purpose, options: { fresh: boolean }): Promise<DataKey>;
  /** The key in an envelope. Throws when its key-encryption key is missing, or of another purpose. */
  forOpen(purpose: Purpose, kid: string, wrapped: Uint8Array): Promise<Uint8Array>;
  /** The kid of the newest key-encryption key; everything is sealed under it from then on. */
  renew(purpose: Purpose): Promise<string>;
};

/** `adapters`: the first wraps, all unwrap. `failed` is told when a data key could not be renewed in time. */
export function createDataKeys(
  adapters: readonly [KeyEncryption, ...KeyEncryption[]],
  options: { limits: Limits; nowMs: () => number; failed: (purpose: Purpose, error: unknown) => void },
): DataKeys {
  const { limits, nowMs, failed } = options;
  const current = new Map<Purpose, Current>();
  const making = new Map<Purpose, Promise<Current>>();
  const opened = new LRUCache<string, Promise<Uint8Array>>({ max: limits.openedMax, ttl: limits.openedMs });

  const make = async (purpose: Purpose): Promise<Current> => {
    const key = randomBytes(KEY_BYTES);
    const { kid, wrapped } = await adapters[0].wrap(purpose, key);
    const madeAtMs = nowMs();
    return { kid: kidOf(adapters[0].name, kid), wrapped, key, madeAtMs, seals: 0, renewAtMs: madeAtMs + limits.renewAfterMs };
  };
  const replace = (purpose: Purpose): Promise<Current> => {
    const running = making.get(purpose);
    if (running !== undefined) return running;
    const made = make(purpose)
      .then((next) => {
        current.set(purpose, next);
        return next;
      })
      .finally(() => making.delete(purpose));
    making.set(purpose, made);
    return made;
  };
  const renewBeside = (purpose: Purpose, known: Current) => {
    known.renewAtMs = nowMs() + RETRY_MS;
    replace(purpose).catch((error: unknown) => failed(purpose, error));
  };
  return {
    async forSeal(purpose, { fresh }) {
      if (fresh) return make(purpose);
      const known = current.get(purpose);
      const isUsable = known !== undefined && known.seals < limits.sealsMax && nowMs() - known.madeAtMs < limits.usableMs;
      if (isUsable && nowMs() >= known.renewAtMs) renewBeside(purpose, known);
      const key = isUsable ? known : await replace(purpose);
      key.seals++;
      return key;
    },
    forOpen(purpose, kid, wrapped) {
      const id = `${purpose}:${kid}:${Buffer.from(wrapped).toString('base64')}`;
      const known = opened.get(id);
      if (known !== undefined) return known;
      const unwrapping = unwrap(adapters, purpose, kid, wrapped);
      opened.set(id, unwrapping);
      // A failure is not remembered: the keys may be there again at the next call.
      unwrapping.catch(() => opened.delete(id));
      return unwrapping;
    },
    async renew(purpose) {
      const next = await make(purpose);
      // Fewer data keys are better: each that seals has to be unwrapped by those who open.
      if (current.get(purpose)?.kid !== next.kid) current.set(purpose, next);
      return next.kid;
    },
  };
}

async function unwrap(
  adapters: readonly KeyEncryption[],
  purpose: Purpose,
  envelopeKid: string,
  wrapped: Uint8Array,
): Promise<Uint8Array> {
  const parts = partsOfKid(envelopeKid);
  const adapter = adapters.find(({ name }) => name === parts?.adapter);
  if (parts === undefined || adapter === undefined) throw new Error(`KEYS has nothing that opens ${envelopeKid}`);
  return adapter.unwrap(purpose, { kid: parts.kid, wrapped });
}
