import type { Clock } from '@gerbang/core';
import type { Store } from '@gerbang/store';
import type { Context } from '../context.ts';
import { openPaymentRequests } from '../payment-request/store.ts';
import { openReceipts } from './receipts.ts';
import { openRefunds } from './refunds.ts';

/** Opens the books of the rails that bring money in. */
export async function openMoneyIn(
  store: Store,
  clock: Clock,
): Promise<Pick<Context, 'paymentRequests' | 'receipts' | 'refunds'>> {
  const receipts = await openReceipts(store);
  return {
    paymentRequests: await openPaymentRequests(store),
    receipts,
    refunds: await openRefunds(store, clock, receipts.refund),
  };
}
