import { setTimeout as sleep } from 'node:timers/promises';
import { type Closeable, contextFrom, type Logger, withSpan } from '@gerbang/runtime';
import type { Partitions } from './partitions.ts';

/** Spreads the partitions every `everyMs`, a little earlier or later so that instances do not keep step. */
export function startSpreading(partitions: Partitions, options: { everyMs: number; log: Logger }): Closeable {
  const { everyMs, log } = options;
  const stop = new AbortController();
  const running = (async () => {
    for (;;) {
      await sleep(everyMs * (0.8 + Math.random() * 0.4), undefined, { signal: stop.signal }).catch(() => {});
      if (stop.signal.aborted) return;
      try {
        await withSpan('ledger spread', { parent: contextFrom('') }, () => partitions.spread());
      } catch (error) {
        log.warn({ err: error }, 'could not look at who owns which partition');
      }
    }
  })();
  return {
    async close() {
      stop.abort();
      await running;
    },
  };
}
