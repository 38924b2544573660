import { type Clock, describeRefusal, isRefusalCode, type Refusal, RefusalError, refuse } from '@gerbang/core';
import { Binary, type Collection } from 'mongodb';
import type { Store } from './connection.ts';
import { isDuplicateKey } from './duplicate-key.ts';
import { traced } from './traced.ts';

/** How long a key stands for its first answer (contract §2). */
const KEY_LIFE_MS = 24 * 3_600_000;
/** How long a request may run before another with the same key takes over from a process that has died. */
const LEASE_MS = 10_000;

type KeyDocument = {
  _id: string;
  schema: number;
  body_hash: string;
  /** Allocated before the work, so that a retry after a crash goes on with the same resource. */
  resource_id: string;
  /** Business time. */
  at: Date;
  lease_until: Date;
  remove_at: Date;
  response?: Binary;
  refusal?: { code: string; message: string; errors?: Record<string, string[]>; echo?: Record<string, string> };
};

/** A merchant's `Idempotency-Key` and what came with it. */
export type IdempotencyClaim = { merchantId: string; route: string; key: string; bodyHash: string };

/** Answers the first response again for a key seen before: durable, over restarts and replicas (contract §2, architecture §3). */
export type IdempotencyKeys = {
  /**
   * Runs `work` once for the key and keeps its answer (bytes, or a refusal that a retry would not change). `work` must be
   * idempotent by `resourceId`: after a crash it is run again with the same one. Refusals: idempotency_key_reused,
   * idempotency_key_running, and those of the work.
   */
  run(
    claim: IdempotencyClaim,
    allocate: () => string,
    work: (resourceId: string) => Promise<Uint8Array>,
  ): Promise<{ response: Uint8Array; replayed: boolean }>;
};

/**
 * Opens the service's collection of idempotency keys. Refusals are kept as the answer unless the catalogue calls them retryable.
 */
export async function openIdempotencyKeys(store: Store, clock: Clock): Promise<IdempotencyKeys> {
  const keys = store.collection<KeyDocument>('idempotency_keys');
  await keys.createIndex({ remove_at: 1 }, { name: 'removal', expireAfterSeconds: 0 });

  const claimNew = async (id: string, claim: IdempotencyClaim, resourceId: string): Promise<boolean> => {
    const document = {
      _id: id,
      schema: 1,
      body_hash: claim.bodyHash,
      resource_id: resourceId,
      at: new Date(clock.now()),
      lease_until: new Date(Date.now() + LEASE_MS),
      remove_at: new Date(Date.now() + 2 * KEY_LIFE_MS),
    };
    try {
      await traced('insertOne', 'idempotency_keys', () => keys.insertOne(document));
      return true;
    } catch (error) {
      if (isDuplicateKey(error)) return false;
      throw error;
    }
  };

  /** Takes over a key whose request has died without an answer; undefined when somebody else was faster. */
  const takeOver = async (known: KeyDocument): Promise<boolean> => {
    const filter = { _id: known._id, lease_until: known.lease_until, response: { $exists: false }, refusal: { $exists: false } };
    const { modifiedCount } = await traced('updateOne', 'idempotency_keys', () =>
      keys.updateOne(filter, { $set: { lease_until: new Date(Date.now() + LEASE_MS) } }),
    );
    return modifiedCount === 1;
  };

  return {
    async run(claim, allocate, work) {
      const id = `${claim.merchantId}:${claim.route}:${claim.key}`;
      let resourceId = allocate();
      while (!(await claimNew(id, claim, resourceId))) {
        const known = await traced('findOne', 'idempotency_keys', () =>
          keys.findOne({ _id: id }, { readConcern: 'linearizable' }),
        );
        if (known === null) continue;
        if (clock.now() - known.at.getTime() > KEY_LIFE_MS) {
          await keys.deleteOne({ _id: id, at: known.at });
          continue;
        }
        if (known.body_hash !== claim.bodyHash) throw new RefusalError(refuse('idempotency_key_reused'));
        if (known.response !== undefined) return { response: known.response.value(), replayed: true };
        if (known.refusal !== undefined) throw new RefusalError({ ...storedRefusal(known.refusal), replayed: true });
        if (known.lease_until.getTime() > Date.now() || !(await takeOver(known))) {
          throw new RefusalError(refuse('idempotency_key_running', { retryAfterMs: 1_000 }));
        }
        resourceId = known.resource_id;
        break;
      }
      return { response: await answerOnce(keys, id, () => work(resourceId)), replayed: false };
    },
  };
}

async function answerOnce(keys: Collection<KeyDocument>, id: string, work: () => Promise<Uint8Array>): Promise<Uint8Array> {
  try {
    const response = await work();
    await traced('updateOne', 'idempotency_keys', () =>
      keys.updateOne({ _id: id }, { $set: { response: new Binary(response) } }),
    );
    return response;
  } catch (error) {
    if (error instanceof RefusalError && isLasting(error.refusal)) {
      const { refused: code, message, errors, echo } = error.refusal;
      const refusal = { code, message, ...(errors !== undefined && { errors }), ...(echo !== undefined && { echo }) };
      await keys.updateOne({ _id: id }, { $set: { refusal } });
    } else {
      // The outcome is open: the next request with this key takes over at once and goes on with the same resource.
      await keys.updateOne({ _id: id }, { $set: { lease_until: new Date(0) } });
    }
    throw error;
  }
}

function storedRefusal(stored: NonNullable<KeyDocument['refusal']>): Refusal {
  const { code, message, errors, echo } = stored;
  if (!isRefusalCode(code)) throw new Error(`a stored refusal has the unknown code ${code}`);
  return { refused: code, message, ...(errors !== undefined && { errors }), ...(echo !== undefined && { echo }) };
}

function isLasting(refusal: Refusal): boolean {
  return refusal.refused !== 'internal' && !describeRefusal(refusal.refused).retryable;
}
