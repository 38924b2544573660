import { createRateLimiter } from '@gerbang/runtime';
import { LRUCache } from 'lru-cache';

/** For so long a client that has proved itself from an address is not held up by what others there get wrong. */
const PROVED_MS = 3_600_000;
const PROVED_MAX = 50_000;

/** Bounds the guessing of credentials from one address, of however many clients. `network`: as limits count addresses. */
export type TokenFailures = {
  /** Once too many have failed from there: when to come again, in milliseconds. */
  wait(clientId: string, network: string): number | undefined;
  failed(network: string): void;
  proved(clientId: string, network: string): void;
};

/**
 * At most `perMinute` refused credentials from an address. After that it has to wait, and so do its right credentials; only a
 * client that has proved itself from there within the hour goes on, so that a stranger behind the same proxy does not stop it.
 * Its own guesses are bounded by the rate of a client and address.
 */
export function createTokenFailures(perMinute: number, monotonicNow: () => number = () => performance.now()): TokenFailures {
  const failures = createRateLimiter(perMinute, monotonicNow);
  const proved = new LRUCache<string, true>({ max: PROVED_MAX, ttl: PROVED_MS, perf: { now: monotonicNow } });
  const keyOf = (clientId: string, network: string) => `${network} ${clientId}`;
  return {
    wait: (clientId, network) => (proved.has(keyOf(clientId, network)) ? undefined : failures.wait(network)),
    failed: (network) => void failures.count(network),
    proved: (clientId, network) => void proved.set(keyOf(clientId, network), true),
  };
}
