import type { Logger } from '@gerbang/runtime';
import { combine } from '@gerbang/store';
import type { Position } from './chains.ts';

/**
 * Wakes the deliveries that wait for an event that has ended. It never rejects: a delivery that could not be woken goes when it
 * is checked again.
 */
export type Waker = (ended: Position) => Promise<void>;

/** `wake` makes the successors of many events due in one step and returns their endpoints; `check` queries an endpoint. */
export function createWaker(
  wake: (ended: readonly Position[]) => Promise<ReadonlySet<string>>,
  check: (endpoint: string) => void,
  log: Logger,
): Waker {
  const wakeTogether = combine(async (ended: readonly Position[]) => {
    for (const endpoint of await wake(ended)) check(endpoint);
    return ended.map(() => ({ result: undefined }));
  });
  return (ended) =>
    wakeTogether(ended).catch((error: unknown) =>
      log.warn({ err: error, aggregate: ended.aggregate }, 'could not wake the next event; it goes when it is checked again'),
    );
}
