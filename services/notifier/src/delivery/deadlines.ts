import { Bag, type Closeable, type Placed } from '@gerbang/runtime';

const TICK_MS = 50;

/** Work that ends by itself or at `untilMs` (monotonic). `untilMs` may change while it is watched. */
export type Deadline = { untilMs: number; expire(): void };

/**
 * Deadlines that share one timer, because an AbortSignal with a timer for each attempt costs more than the rest of our work for
 * the attempt. They end up to 50 ms late.
 */
export type Deadlines = Closeable & {
  /** The returned function forgets the deadline, at any time and any number of times. */
  watch(deadline: Deadline): () => void;
};

type Watched = Placed & { readonly deadline: Deadline };

export function createDeadlines(): Deadlines {
  const watching = new Bag<Watched>();
  const ticking = setInterval(() => {
    const nowMs = performance.now();
    for (const watched of [...watching]) {
      const { deadline } = watched;
      if (deadline.untilMs <= nowMs && watching.delete(watched)) deadline.expire();
    }
  }, TICK_MS);
  ticking.unref();
  return {
    watch(deadline) {
      const watched: Watched = { deadline, place: -1 };
      watching.add(watched);
      return () => void watching.delete(watched);
    },
    async close() {
      clearInterval(ticking);
    },
  };
}
