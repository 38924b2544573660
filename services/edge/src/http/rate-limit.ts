import { RefusalError, refuse } from '@gerbang/core';
import { createRateLimiter } from '@gerbang/runtime';

/** Counts one request of the key; refuses with rate_limited, and when to come again, once there are too many. */
export type RateLimit = { count(key: string): void };

/**
 * At most `perMinute` requests a key in each minute from the key's first request on (contract §2). Counted only in this process:
 * each of several edges gets its share of the limit (docs/edge.md, replicas).
 */
export function createRateLimit(perMinute: number): RateLimit {
  const limiter = createRateLimiter(perMinute);
  return {
    count(key) {
      const retryAfterMs = limiter.count(key);
      if (retryAfterMs !== undefined) throw new RefusalError(refuse('rate_limited', { retryAfterMs }));
    },
  };
}
