const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** How long after the n-th failed attempt the next one is due (contract §10). */
const RETRY_DELAYS_MS = [5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE, 2 * HOUR, 6 * HOUR, 12 * HOUR];

/** In the sandbox merchants wait only a tenth of the time. */
const SANDBOX_DIVISOR = 10;

const JITTER = 0.1;

/** How this installation retries; `chance` gives numbers in [0, 1). */
export type RetryPolicy = { sandbox: boolean; chance: () => number };

/** Milliseconds of business time until the next attempt after `failures` failed ones; undefined when that was the last one. */
export function retryDelayMs(failures: number, policy: RetryPolicy): number | undefined {
  const delayMs = RETRY_DELAYS_MS[failures - 1];
  if (delayMs === undefined) return undefined;
  const jitter = 1 - JITTER + 2 * JITTER * policy.chance();
  return Math.round((delayMs * jitter) / (policy.sandbox ? SANDBOX_DIVISOR : 1));
}
