import type { PurchaseContext } from './change.ts';
import type { StoredPurchase } from './document.ts';
import { isRefused } from './posting.ts';
import { buy, holdPrice } from './saga.ts';

/** Purchases that this process is working on just now; their timer has nothing to do. */
export type InProgress = Set<string>;

/**
 * Takes up a purchase whose timer has fired. A process that died since may have held and sent it; both change nothing when they are
 * done again. Runs at least once; every step is idempotent by its key.
 */
export async function onPurchaseDue(context: PurchaseContext, inProgress: InProgress, purchase: StoredPurchase): Promise<void> {
  const { order, state } = purchase;
  if (inProgress.has(order.transactionId) || state.status === 'succeeded' || state.status === 'failed') return;
  try {
    if (state.status === 'created') await holdPrice(context, purchase);
    await buy(context, purchase, { firstSend: false });
  } catch (error) {
    // The purchase is gone, as if it had never been ordered.
    if (state.status !== 'created' || !isRefused(error, ['insufficient_balance', 'account_limit'])) throw error;
  }
}
