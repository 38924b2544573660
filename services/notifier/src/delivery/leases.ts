import { randomUUID } from 'node:crypto';
import type { Closeable, Logger } from '@gerbang/runtime';

/**
 * How long a claim holds unless it is renewed, in the database's time. A delivery waits so long for another replica when its own
 * has died. Claims that wait or are attempted for longer are renewed, so the lease can be shorter than the longest attempt.
 */
export const LEASE_MS = 10_000;
const RENEW_AFTER_MS = 3_000;
const CHECK_EVERY_MS = 1_000;
/** No attempt begins with less than this left. */
const MARGIN_MS = 1_000;
const RENEWED_TOGETHER = 500;

/** The claims that this process holds. Times are monotonic. */
export type Leases = Closeable & {
  /** The name in the claims of this process. */
  owner: string;
  /** `sinceMs`: a moment before the claim was written. */
  hold(id: string, sinceMs: number): void;
  release(id: string): void;
  holds(id: string): boolean;
  /** Whether no other replica can have the claim now. */
  valid(id: string): boolean;
};

/** `renew` extends claims of `owner` by LEASE_MS and returns the ids of those that it still has. */
export function createLeases(
  renew: (ids: readonly string[], owner: string) => Promise<ReadonlySet<string>>,
  log: Logger,
): Leases {
  const owner = randomUUID();
  const since = new Map<string, number>();
  let renewing = Promise.resolve();

  const renewOld = async () => {
    const nowMs = performance.now();
    const old = [...since].filter(([, sinceMs]) => nowMs - sinceMs >= RENEW_AFTER_MS).map(([id]) => id);
    for (let i = 0; i < old.length; i += RENEWED_TOGETHER) {
      const ids = old.slice(i, i + RENEWED_TOGETHER);
      const askedMs = performance.now();
      const kept = await renew(ids, owner);
      for (const id of ids) if (kept.has(id) && since.has(id)) since.set(id, askedMs);
    }
  };
  let busy = false;
  const checking = setInterval(() => {
    if (busy) return;
    busy = true;
    renewing = renewOld()
      .catch((error: unknown) =>
        log.warn({ err: error }, 'could not renew the leases of deliveries; other replicas may take those that wait'),
      )
      .finally(() => {
        busy = false;
      });
  }, CHECK_EVERY_MS);
  checking.unref();
  return {
    owner,
    hold: (id, sinceMs) => since.set(id, sinceMs),
    release: (id) => since.delete(id),
    holds: (id) => since.has(id),
    valid(id) {
      const sinceMs = since.get(id);
      return sinceMs !== undefined && performance.now() - sinceMs < LEASE_MS - MARGIN_MS;
    },
    async close() {
      clearInterval(checking);
      await renewing;
    },
  };
}
