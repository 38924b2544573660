import { RefusalError, refuse } from '@gerbang/core';
import type { Implementation } from '@gerbang/rpc';
import type { Logger } from '@gerbang/runtime';

/** What is needed of a service's store (packages/store). */
export type WatchedStore = { ping(): Promise<void>; isAway(error: unknown): boolean };

const RETRY_AFTER_MS = 1_000;

/**
 * The same handlers, which refuse with `unavailable` where their database is away, instead of failing with a fault of ours: the
 * caller may come again, with the same Idempotency-Key or reference where it creates.
 */
export function refusingWithoutDatabase(
  implementation: Implementation,
  { store, log }: { store: WatchedStore; log: Logger },
): Implementation {
  const { desc, handlers } = implementation;
  const guarded = Object.entries(handlers).map(([name, handler]): [string, Implementation['handlers'][string]] => [
    name,
    (request, call) =>
      handler(request, call).catch((error: unknown) => {
        if (!store.isAway(error)) throw error;
        log.warn({ err: error, method: `/${desc.typeName}/${name}` }, 'a call was refused because the database is away');
        throw new RefusalError(refuse('unavailable', { retryAfterMs: RETRY_AFTER_MS }), error);
      }),
  ]);
  return { ...implementation, handlers: Object.fromEntries(guarded) };
}
