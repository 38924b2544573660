import type { Closeable } from '@gerbang/runtime';

const TICK_MS = 50;

/** Something that ends by itself or at `untilMs` (monotonic), which may be moved while it is watched. */
export type Deadline = { untilMs: number; expire(): void };

/**
 * Deadlines that are looked at by one timer, because an AbortSignal with a timer for each attempt costs more than the rest of what we do for it. They end
 * up to 50 ms late. Kept in an array: the tables of a Map that keys enter and leave all the time hold on to what has left it.
 */
export type Deadlines = Closeable & {
  /** The returned function forgets the deadline, at any time and any number of times. */
  watch(deadline: Deadline): () => void;
};

type Watched = { deadline: Deadline | undefined; place: number };

export function createDeadlines(): Deadlines {
  const watching: Watched[] = [];
  const forget = (watched: Watched) => {
    if (watched.deadline === undefined) return;
    watched.deadline = undefined;
    const last = watching.pop();
    if (last === undefined || last === watched) return;
    watching[watched.place] = last;
    last.place = watched.place;
  };
  const ticking = setInterval(() => {
    const nowMs = performance.now();
    for (const watched of [...watching]) {
      const { deadline } = watched;
      if (deadline === undefined || deadline.untilMs > nowMs) continue;
      forget(watched);
      deadline.expire();
    }
  }, TICK_MS);
  ticking.unref();
  return {
    watch(deadline) {
      const watched: Watched = { deadline, place: watching.length };
      watching.push(watched);
      return () => forget(watched);
    },
    async close() {
      clearInterval(ticking);
    },
  };
}
