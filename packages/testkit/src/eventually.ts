import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Asks again, every 20 ms, until the check gives something other than undefined or false; throws with `what` after `timeoutMs`.
 */
export async function eventually<T>(
  what: string,
  check: () => Promise<T | undefined | false> | T | undefined | false,
  timeoutMs = 10_000,
): Promise<T> {
  const endMs = Date.now() + timeoutMs;
  let last: unknown;
  for (;;) {
    try {
      const value = await check();
      if (value !== undefined && value !== false) return value;
    } catch (error) {
      last = error;
    }
    if (Date.now() > endMs) throw new Error(`not within ${timeoutMs} ms: ${what}`, { cause: last });
    await sleep(20);
  }
}
