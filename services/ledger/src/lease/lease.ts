import { setTimeout as sleep } from 'node:timers/promises';
import { contextFrom, type Logger, within, withSpan } from '@gerbang/runtime';
import type { Holder, LeaseStore } from './store.ts';

const RETRY_MS = 200;
const RELEASE_MS = 2_000;
/** The share of a lease's life that is not relied on here, for clocks that run at slightly different rates. */
const MARGIN = 0.05;

/** The instance's lease as this process sees it. */
export type Lease = {
  /** The identity that claims are made under; its token changes when a lost lease is taken again. */
  holder(): Holder;
  /** Whether no other instance can have taken over by now, by the monotonic clock. */
  isValid(): boolean;
  /** Stops renewing and ends the lease. */
  release(): Promise<void>;
};

/**
 * Takes the instance's lease and renews it at a third of its life. `onLost` is called, before anything else happens, when it is
 * found to be another's; then the lease is taken again as soon as it is over. Waits for the database as long as it takes.
 */
export async function startLease(options: {
  store: LeaseStore;
  instance: string;
  address: string;
  lifeMs: number;
  newToken: () => string;
  onLost: () => void;
  log: Logger;
}): Promise<Lease> {
  const { store, instance, address, lifeMs, newToken, onLost, log } = options;
  const stop = new AbortController();
  let holder: Holder = { instance, address, token: newToken() };
  let held = true;
  let validUntilMs = Number.NEGATIVE_INFINITY;

  /** The lease counts from before the database was asked, so that it ends here no later than there. */
  const extend = async (attempt: () => Promise<boolean>): Promise<boolean> => {
    const askedAtMs = performance.now();
    const ours = await attempt();
    if (ours) validUntilMs = askedAtMs + lifeMs * (1 - MARGIN);
    return ours;
  };
  const renew = async () => {
    if (held) {
      if (await extend(() => store.renew(holder, lifeMs))) return;
      held = false;
      validUntilMs = Number.NEGATIVE_INFINITY;
      log.warn({ instance }, 'the lease is lost');
      onLost();
    }
    const next = { ...holder, token: newToken() };
    if (!(await extend(() => store.takeIfOver(next, lifeMs)))) return;
    holder = next;
    held = true;
    log.info({ instance }, 'the lease is taken again');
  };
  const quietly = async (step: () => Promise<unknown>): Promise<boolean> => {
    try {
      await withSpan('ledger lease', { parent: contextFrom('') }, step);
      return true;
    } catch (error) {
      log.warn({ err: error, instance }, 'could not reach the lease');
      return false;
    }
  };

  const take = () =>
    extend(async () => {
      await store.take(holder, lifeMs);
      return true;
    });
  while (!(await quietly(take))) await sleep(RETRY_MS);
  const renewing = (async () => {
    while (!stop.signal.aborted) {
      await sleep(lifeMs / 3, undefined, { signal: stop.signal }).catch(() => {});
      while (!stop.signal.aborted && !(await quietly(renew))) {
        await sleep(RETRY_MS, undefined, { signal: stop.signal }).catch(() => {});
      }
    }
  })();
  return {
    holder: () => holder,
    isValid: () => held && performance.now() < validUntilMs,
    async release() {
      stop.abort();
      await within(RELEASE_MS, renewing);
      validUntilMs = Number.NEGATIVE_INFINITY;
      if (held) await quietly(() => within(RELEASE_MS, store.release(holder)));
    },
  };
}
