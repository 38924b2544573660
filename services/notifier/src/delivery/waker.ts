import type { Closeable, Logger } from '@gerbang/runtime';

const WOKEN_TOGETHER = 250;

/** Where an aggregate's order stands. */
export type Position = { aggregate: string; seq: bigint };

/** Lets those go that waited for what is over now; many in one go when there are many. */
export type Waker = Closeable & {
  /** Returns at once. */
  wake(over: Position): void;
};

/**
 * `wake` makes the successors due and tells where they go; `look` has them looked for. What could not be woken is found when its predecessor would have
 * been due again.
 */
export function createWaker(
  wake: (over: readonly Position[]) => Promise<ReadonlySet<string>>,
  look: (endpoint: string) => void,
  log: Logger,
): Waker {
  const waiting: Position[] = [];
  let waking: Promise<void> | undefined;

  const wakeAll = async () => {
    while (waiting.length > 0) {
      const over = waiting.splice(0, WOKEN_TOGETHER);
      try {
        for (const endpoint of await wake(over)) look(endpoint);
      } catch (error) {
        log.warn({ err: error, deliveries: over.length }, 'could not wake successors; they go when they are looked at again');
      }
    }
    waking = undefined;
  };
  return {
    wake(over) {
      waiting.push(over);
      waking ??= wakeAll();
    },
    async close() {
      await waking;
    },
  };
}
