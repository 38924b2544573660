import type { Logger } from '@gerbang/runtime';
import { combine } from '@gerbang/store';
import type { Position } from './chains.ts';

/** Lets those go that were held back for what is over now. Never rejects: what could not be woken goes when it is looked at again. */
export type Waker = (over: Position) => Promise<void>;

/** `wake` makes the successors due, of many in one go, and tells where they go; `look` has them looked for. */
export function createWaker(
  wake: (over: readonly Position[]) => Promise<ReadonlySet<string>>,
  look: (endpoint: string) => void,
  log: Logger,
): Waker {
  const wakeTogether = combine(async (over: readonly Position[]) => {
    for (const endpoint of await wake(over)) look(endpoint);
    return over.map(() => ({ result: undefined }));
  });
  return (over) =>
    wakeTogether(over).catch((error: unknown) =>
      log.warn({ err: error, aggregate: over.aggregate }, 'could not wake a successor; it goes when it is looked at again'),
    );
}
