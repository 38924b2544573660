import { setTimeout as sleep } from 'node:timers/promises';
import { RefusalError } from '@gerbang/core';
import type { CheckoutService, PaymentLinkHistory } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import type { RpcClient } from '@gerbang/rpc';
import type { Closeable, Logger } from '@gerbang/runtime';

/** Is told of every look at the session. */
export type SessionListener = (history: PaymentLinkHistory) => void;

export type SessionWatch = Closeable & {
  /** Follows a session from the next look on; the answer ends that. */
  watch(reference: string, listener: SessionListener): () => void;
};

/** As many as one call takes. */
const BATCH_MAX = 500;

/** Looks at all sessions that pages follow once an interval, hundreds in one call, however many pages follow the same one. */
export function createSessionWatch(options: {
  checkout: Pick<RpcClient<typeof CheckoutService>, 'listSessions'>;
  intervalMs: number;
  log: Logger;
}): SessionWatch {
  const { checkout, intervalMs, log } = options;
  const watched = new Map<string, Set<SessionListener>>();
  const stop = new AbortController();
  const { signal } = stop;

  const look = async (reffNos: string[]): Promise<void> => {
    const { paymentLinkHistories } = await checkout.listSessions({ reffNos }, { signal });
    for (const history of paymentLinkHistories)
      for (const listener of [...(watched.get(history.reffNo) ?? [])]) listener(history);
  };

  const following = (async () => {
    while (!signal.aborted) {
      await sleep(intervalMs, undefined, { signal }).catch(() => {});
      const references = [...watched.keys()];
      for (let at = 0; at < references.length && !signal.aborted; at += BATCH_MAX) {
        try {
          await look(references.slice(at, at + BATCH_MAX));
        } catch (error) {
          // Pages keep what they show; the next look may succeed.
          if (!signal.aborted)
            log[error instanceof RefusalError ? 'info' : 'error']({ err: error }, 'sessions could not be looked at');
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
