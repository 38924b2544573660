import { setTimeout as sleep } from 'node:timers/promises';
import { type Clock, createClock } from '@gerbang/core';
import type { Closeable } from './closing.ts';
import type { Logger } from './log-fields.ts';

const POLL_WAIT_MS = 20_000;
const RETRY_MS = 250;

/**
 * The service's business clock (contract §11). Without an address it is real time. With one (sandbox) it takes the offset from
 * there before it returns, then follows by long polling: asking with `after=<offset>` tells the simulator that this offset has
 * been taken here.
 */
export async function startBusinessClock(url: string | undefined, log: Logger): Promise<Clock & Closeable> {
  const clock = createClock();
  if (url === undefined) return { ...clock, close: async () => {} };
  const stop = new AbortController();
  const poll = async (query: string, timeoutMs: number) => {
    const response = await fetch(`${url}${query}`, { signal: AbortSignal.any([stop.signal, AbortSignal.timeout(timeoutMs)]) });
    const body: unknown = await response.json();
    const offset = typeof body === 'object' && body !== null && 'offset_ms' in body ? body.offset_ms : undefined;
    if (typeof offset !== 'number' || !Number.isFinite(offset)) throw new Error(`no offset_ms in the answer of ${url}`);
    clock.setOffset(offset);
  };
  await untilAnswered(() => poll('', 2_000), stop.signal, log);
  const following = (async () => {
    while (!stop.signal.aborted) {
      const query = `?after=${clock.offsetMs()}&wait_ms=${POLL_WAIT_MS}`;
      await untilAnswered(() => poll(query, POLL_WAIT_MS + 5_000), stop.signal, log);
    }
  })();
  return {
    ...clock,
    async close() {
      stop.abort();
      await following;
    },
  };
}

/** Tries until it works or the clock is closed; a sandbox whose simulator is down keeps the offset it has. */
async function untilAnswered(attempt: () => Promise<void>, signal: AbortSignal, log: Logger): Promise<void> {
  while (!signal.aborted) {
    try {
      return await attempt();
    } catch (error) {
      if (signal.aborted) return;
      log.debug({ err: error }, 'the sandbox clock does not answer');
      await sleep(RETRY_MS, undefined, { signal }).catch(() => {});
    }
  }
}
