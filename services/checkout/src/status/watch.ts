import { setTimeout as sleep } from 'node:timers/promises';
import { RefusalError } from '@gerbang/core';
import type { Closeable, Logger } from '@gerbang/runtime';

/** Is called after every look at a payment. */
export type Listener<T> = (now: T) => void;

/** Follows payments of one kind for the pages that show them. */
export type Watch<T> = Closeable & {
  /** Follows a payment from the next look on; the answer ends that. */
  watch(reference: string, listener: Listener<T>): () => void;
};

/** As many as one call takes. */
const BATCH_MAX = 500;

/** Looks at all payments that pages follow once an interval, hundreds in one call, however many pages follow the same one. */
export function createWatch<T>(options: {
  look: (references: string[], signal: AbortSignal) => Promise<T[]>;
  referenceOf: (payment: T) => string;
  intervalMs: number;
  log: Logger;
}): Watch<T> {
  const { look, referenceOf, intervalMs, log } = options;
  const watched = new Map<string, Set<Listener<T>>>();
  const stop = new AbortController();
  const { signal } = stop;

  const following = (async () => {
    while (!signal.aborted) {
      await sleep(intervalMs, undefined, { signal }).catch(() => {});
      const references = [...watched.keys()];
      for (let at = 0; at < references.length && !signal.aborted; at += BATCH_MAX) {
        try {
          for (const payment of await look(references.slice(at, at + BATCH_MAX), signal))
            for (const listener of [...(watched.get(referenceOf(payment)) ?? [])]) listener(payment);
        } catch (error) {
          // Pages keep what they show; the next look may succeed.
          if (!signal.aborted)
            log[error instanceof RefusalError ? 'info' : 'error']({ err: error }, 'payments could not be looked at');
        }
      }
    }
  })();

  return {
    watch(reference, listener) {
      const listeners = watched.get(reference) ?? new Set();
      watched.set(reference, listeners.add(listener));
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0 && watched.get(reference) === listeners) watched.delete(reference);
      };
    },
    async close() {
      stop.abort();
      await following;
    },
  };
}
