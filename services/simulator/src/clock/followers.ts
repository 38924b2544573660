/**
 * Services that follow the clock by long polling. A poll with `after` is woken by an advance; the next poll with the new offset acknowledges it, so an
 * advance can wait until every follower has taken it.
 */
export type ClockFollowers = {
  /** Resolves when the offset is greater than `afterMs`, after `waitMs`, or when the follower has gone. */
  wait(afterMs: number, waitMs: number, gone: AbortSignal): Promise<void>;
  /** Wakes all and resolves when they have come back, or after `patienceMs`. */
  announce(offsetMs: number, patienceMs: number): Promise<void>;
};

type Waiting = { afterMs: number; wake: () => void };

export function createClockFollowers(): ClockFollowers {
  const waiting = new Set<Waiting>();
  const acknowledged: { offsetMs: number; left: number; done: () => void }[] = [];
  return {
    wait(afterMs, waitMs, gone) {
      for (const pending of acknowledged) {
        if (afterMs >= pending.offsetMs && --pending.left === 0) pending.done();
      }
      return new Promise((resolve) => {
        const entry: Waiting = {
          afterMs,
          wake: () => {
            clearTimeout(timer);
            waiting.delete(entry);
            resolve();
          },
        };
        const timer = setTimeout(entry.wake, waitMs);
        waiting.add(entry);
        gone.addEventListener('abort', entry.wake, { once: true });
        if (gone.aborted) entry.wake();
      });
    },
    async announce(offsetMs, patienceMs) {
      const behind = [...waiting].filter((entry) => entry.afterMs < offsetMs);
      if (behind.length === 0) return;
      await new Promise<void>((resolve) => {
        const pending = { offsetMs, left: behind.length, done: resolve };
        acknowledged.push(pending);
        const timer = setTimeout(resolve, patienceMs);
        const finish = () => {
          clearTimeout(timer);
          resolve();
        };
        pending.done = finish;
        for (const entry of behind) entry.wake();
      });
      const index = acknowledged.findIndex((pending) => pending.offsetMs === offsetMs);
      if (index !== -1) acknowledged.splice(index, 1);
    },
  };
}
