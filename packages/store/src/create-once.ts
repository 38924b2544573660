import type { IdempotencyKeys } from './idempotency.ts';

/** Who creates, and under which `Idempotency-Key` if any: `route` and `bodyHash` tell apart what it is used for. */
export type Creator = { merchantId: string; idempotencyKey?: { key: string; route: string; bodyHash: string } | undefined };

/**
 * How a resource is made once: its id, the work that makes it (idempotent by that id), and its answer as it is kept with the key.
 */
export type Creation<Answer> = {
  allocate(): string;
  create(id: string): Promise<Answer>;
  /** A secret in it is sealed. */
  encode(answer: Answer): Uint8Array | Promise<Uint8Array>;
  decode(bytes: Uint8Array): Answer | Promise<Answer>;
};

/**
 * Creates a resource once for its Idempotency-Key, and gives the same answer for every later request with the key; without a key
 * it just creates. Refusals: idempotency_key_reused, idempotency_key_running, and those of the work.
 */
export async function createOnce<Answer>(
  keys: IdempotencyKeys,
  { merchantId, idempotencyKey }: Creator,
  { allocate, create, encode, decode }: Creation<Answer>,
): Promise<{ answer: Answer; replayed: boolean }> {
  if (idempotencyKey === undefined) return { answer: await create(allocate()), replayed: false };
  const { key, route, bodyHash } = idempotencyKey;
  const claim = { merchantId, route, key, bodyHash };
  const { response, replayed } = await keys.run(claim, allocate, async (id) => encode(await create(id)));
  return { answer: await decode(response), replayed };
}
