import { EventEmitter } from 'node:events';
import type { Closeable } from '@gerbang/runtime';

const TICK_MS = 50;

/** What an attempt is given up by: it emits `abort`, as undici takes it. */
export type Deadline = EventEmitter;

/**
 * Deadlines that are all equally far away, so that one timer and the order of their making do for all of them. An AbortSignal with a timer for each
 * attempt costs more than the rest of what we do for it. They end up to 50 ms late.
 */
export type Deadlines = Closeable & {
  start(): Deadline;
  /** Forgets a deadline that is not needed any more. */
  end(deadline: Deadline): void;
};

export function createDeadlines(timeoutMs: number): Deadlines {
  const since = new Map<Deadline, number>();
  const ticking = setInterval(() => {
    const beforeMs = performance.now() - timeoutMs;
    for (const [deadline, startedMs] of since) {
      if (startedMs > beforeMs) return;
      since.delete(deadline);
      deadline.emit('abort');
    }
  }, TICK_MS);
  ticking.unref();
  return {
    start() {
      const deadline = new EventEmitter();
      since.set(deadline, performance.now());
      return deadline;
    },
    end: (deadline) => since.delete(deadline),
    async close() {
      clearInterval(ticking);
    },
  };
}
