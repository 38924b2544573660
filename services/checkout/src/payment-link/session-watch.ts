import { setTimeout as sleep } from 'node:timers/promises';
import { RefusalError } from '@gerbang/core';
import type { CheckoutService } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import type { RpcClient } from '@gerbang/rpc';
import type { Closeable, Logger } from '@gerbang/runtime';
import type { Session } from './session.ts';

/** Is told of every look at the session. */
export type SessionListener = (session: Session) => void;

export type SessionWatch = Closeable & {
  /** Follows a session from the next look on; the answer ends that. */
  watch(reference: string, listener: SessionListener): () => void;
};

type Watched = { listeners: Set<SessionListener>; stop: AbortController };

/** Looks at each session that pages follow, once an interval however many pages those are. */
export function createSessionWatch(options: {
  checkout: Pick<RpcClient<typeof CheckoutService>, 'getSession'>;
  intervalMs: number;
  log: Logger;
}): SessionWatch {
  const { checkout, intervalMs, log } = options;
  const watched = new Map<string, Watched>();

  const look = async (reference: string, { listeners, stop }: Watched): Promise<void> => {
    const asked = { signal: stop.signal };
    const { paymentLink: link, paymentLinkHistory: history } = await checkout.getSession({ reffNo: reference }, asked);
    if (link === undefined || history === undefined) throw new Error('a session has come without its link or history');
    for (const listener of [...listeners]) listener({ link, history });
  };

  const follow = async (reference: string, one: Watched): Promise<void> => {
    const { signal } = one.stop;
    while (!signal.aborted) {
      await sleep(intervalMs, undefined, { signal }).catch(() => {});
      if (signal.aborted) return;
      try {
        await look(reference, one);
      } catch (error) {
        if (signal.aborted) return;
        // The page keeps what it shows; the next look may succeed.
        const level = error instanceof RefusalError ? 'debug' : 'warn';
        log[level]({ err: error }, 'a session could not be looked at');
      }
    }
  };

  return {
    watch(reference, listener) {
      let one = watched.get(reference);
      if (one === undefined) {
        one = { listeners: new Set(), stop: new AbortController() };
        watched.set(reference, one);
        void follow(reference, one);
      }
      const { listeners, stop } = one;
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        stop.abort();
        if (watched.get(reference)?.stop === stop) watched.delete(reference);
      };
    },
    async close() {
      for (const { stop } of watched.values()) stop.abort();
      watched.clear();
    },
  };
}
