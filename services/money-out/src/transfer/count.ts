import { RefusalError, refuse } from '@gerbang/core';
import { businessDay, type LimitPeriod, type Quota } from './quota.ts';
import { referenceId } from './reference.ts';
import type { Spendings } from './spending-store.ts';

/** Processes that work on one order meet once or twice. */
const ATTEMPTS_MAX = 5;

type Countable = {
  order: {
    transactionId: string;
    merchantId: string;
    accountId: string;
    referenceNumber: string;
    amountSen: bigint;
    createdAtMs: number;
    quota: Quota | undefined;
  };
  state: { status: string };
  document: { counted?: true };
};

/** How an order's document is changed; each of the first two only if it is as it was read. */
export type CountingSteps<T> = {
  mark(order: T): Promise<T | undefined>;
  remove(order: T): Promise<boolean>;
  /** Told once for an order that was removed, by the bound that it exceeds. */
  refused(period: LimitPeriod): void;
  /** As it stands at this moment. */
  find(accountId: string, referenceNumber: string): Promise<T | undefined>;
};

/**
 * Counts a new order against its merchant's quota, before its funds are held; gives the order as it then stands. First the amount
 * is reserved, then the order is marked as counted: only a marked one may be held. An order that does not fit is removed, if no
 * other process has marked it meanwhile. A crash in between is resumed by the order's timer; where the order is gone by then, the
 * reserved amount is given back when it matters. An order without a quota costs nothing here. Refusals: account_limit (the order is
 * gone and its reference free again), unavailable.
 */
export async function countOrder<T extends Countable>(
  spendings: Spendings,
  product: string,
  created: T,
  steps: CountingSteps<T>,
): Promise<T> {
  let current = created;
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
    const { order, state, document } = current;
    const { quota, merchantId, accountId, referenceNumber, transactionId, amountSen } = order;
    if (quota === undefined || document.counted === true || state.status !== 'created') return current;
    const id = referenceId(accountId, referenceNumber);
    const day = businessDay(order.createdAtMs);
    const counting = await spendings.count({ id, transactionId, day, amountSen, merchantId, product, quota });
    if (typeof counting === 'object' && (await steps.remove(current))) {
      steps.refused(counting.exceeds);
      throw new RefusalError(refuse('account_limit'));
    }
    const marked = counting === 'reserved' ? await steps.mark(current) : undefined;
    if (marked !== undefined) return marked;
    const again = await steps.find(accountId, referenceNumber);
    // Another process has refused it. Nothing was held: a new order of it gets a decision of its own.
    if (again?.order.transactionId !== transactionId) break;
    current = again;
  }
  throw new RefusalError(refuse('unavailable', { retryAfterMs: 1_000 }));
}
