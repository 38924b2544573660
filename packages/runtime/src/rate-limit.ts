import { LRUCache } from 'lru-cache';

const WINDOW_MS = 60_000;
const KEYS_MAX = 50_000;

export type RateLimiter = {
  /** Counts one request of the key; once there are too many, gives when to come again, in milliseconds. */
  count(key: string): number | undefined;
  /** What `count` would give, without counting. */
  wait(key: string): number | undefined;
};

/** At most `perMinute` requests a key in each minute from its first request on; counted only in this process. */
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
      return window.requests > perMinute ? Math.max(1, window.endsAtMs - nowMs) : undefined;
    },
    wait(key) {
      const nowMs = monotonicNow();
      const window = windows.peek(key);
      if (window === undefined || window.endsAtMs <= nowMs || window.requests < perMinute) return undefined;
      return Math.max(1, window.endsAtMs - nowMs);
    },
  };
}
