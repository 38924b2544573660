import { RefusalError, refuse } from '@gerbang/core';
import { LRUCache } from 'lru-cache';

const WINDOW_MS = 60_000;
const KEYS_MAX = 50_000;

/** Counts one request of the key; refuses with rate_limited, and when to come again, once there are too many. */
export type RateLimiter = { count(key: string): void };

/**
 * At most `perMinute` requests a key in each minute from the key's first request on (contract §2). Counted in this process alone: with several
 * edges behind one address a merchant gets as many times the limit, so operators divide it by their number.
 */
export function createRateLimiter(perMinute: number, monotonicNow: () => number = () => performance.now()): RateLimiter {
  const windows = new LRUCache<string, { endsAtMs: number; requests: number }>({ max: KEYS_MAX });
  return {
    count(key) {
      const nowMs = monotonicNow();
      let window = windows.get(key);
      if (window === undefined || window.endsAtMs <= nowMs) {
        window = { endsAtMs: nowMs + WINDOW_MS, requests: 0 };
        windows.set(key, window);
      }
      window.requests++;
      if (window.requests > perMinute) {
        throw new RefusalError(refuse('rate_limited', { retryAfterMs: Math.max(1, window.endsAtMs - nowMs) }));
      }
    },
  };
}
