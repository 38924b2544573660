import { bodyHash, RefusalError, refuseField } from '@gerbang/core';
import type { Call } from './call.ts';

/** What an Idempotency-Key may be. */
export const IDEMPOTENCY_KEY = /^[\x20-\x7e]{1,64}$/;

/**
 * What the owner of the resource claims for the Idempotency-Key of a request that creates (contract §2). `route`: method and
 * path.
 */
export type IdempotencyKey = { key: string; route: string; bodyHash: string };

/** The request's Idempotency-Key, if it has one; its hash leaves secret fields of the body out. Refusals: validation. */
export function idempotencyKeyOf(call: Call, secretFields: readonly string[] = []): IdempotencyKey | undefined {
  const key = call.header('idempotency-key');
  if (key === undefined) return undefined;
  if (!IDEMPOTENCY_KEY.test(key))
    throw new RefusalError(refuseField('Idempotency-Key', 'must be 1 to 64 printable ASCII characters'));
  return { key, route: pathOf(call), bodyHash: hashWithout(call, secretFields) };
}

function hashWithout(call: Call, fields: readonly string[]): string {
  const { body } = call;
  if (fields.length === 0) return call.bodyHash();
  // What is no object is refused later, and may have a card in it all the same.
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return bodyHash(undefined);
  return bodyHash(Object.fromEntries(Object.entries(body).filter(([name]) => !fields.includes(name))));
}

/** Method and path as they were asked for: a key for one account's route is another key for another account's. */
function pathOf({ route, params }: Call): string {
  return route.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
}
