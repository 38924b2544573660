import { type RefusalCode, RefusalError } from '@gerbang/core';
import { Compensation, Intent } from '@gerbang/proto/gerbang/ledger/v1/ledger';
import { BILLER } from '../product/product.ts';
import type { PurchaseContext } from './change.ts';
import type { StoredPurchase } from './document.ts';

/** The ledger's name of the rail. */
const RAIL = 'biller';

export type Outcome = Intent.CAPTURE | Intent.RELEASE;

/** Has the ledger hold the price. Refusals: insufficient_balance, unavailable, timeout. */
export async function postHold({ ledger }: PurchaseContext, purchase: StoredPurchase): Promise<void> {
  await ledger.post({ ...postingOf(purchase), intent: Intent.HOLD, postingKey: `${purchase.order.transactionId}:hold` });
}

/**
 * Has the ledger capture or release. Both have one posting key, so of two contradicting answers of the biller only the first moves
 * money. Gives what the ledger has booked: the other one where an earlier answer was booked and its write was lost.
 */
export async function postOutcome({ ledger }: PurchaseContext, purchase: StoredPurchase, wanted: Outcome): Promise<Outcome> {
  const request = { ...postingOf(purchase), postingKey: `${purchase.order.transactionId}:outcome` };
  try {
    await ledger.post({ ...request, intent: wanted });
    return wanted;
  } catch (error) {
    if (!isRefused(error, ['posting_key_conflict'])) throw error;
  }
  const other = wanted === Intent.CAPTURE ? Intent.RELEASE : Intent.CAPTURE;
  // The key is taken, so this moves nothing: it is answered as before, or refused where yet another posting has the key.
  await ledger.post({ ...request, intent: other });
  return other;
}

/**
 * Books against what the ledger has booked, as operators have decided. Its number is in the posting key, since a refusal burns a
 * key. Refusals: insufficient_balance (the purchase was released, and the account has spent it), unavailable, timeout.
 */
export async function postCompensation({ ledger }: PurchaseContext, purchase: StoredPurchase, wanted: Outcome): Promise<void> {
  const { order, state } = purchase;
  const number = state.status === 'held' ? state.compensations + 1 : 1;
  await ledger.post({
    ...postingOf(purchase),
    intent: Intent.COMPENSATE,
    compensation: wanted === Intent.CAPTURE ? Compensation.PAYOUT_MADE : Compensation.PAYOUT_RETURNED,
    postingKey: `${order.transactionId}:compensation:${number}`,
  });
}

/** Whether the error is one of these refusals. */
export function isRefused(error: unknown, codes: readonly RefusalCode[]): error is RefusalError {
  return error instanceof RefusalError && codes.includes(error.refusal.refused);
}

function postingOf({ order }: StoredPurchase) {
  return {
    merchantId: order.merchantId,
    partition: order.partition,
    accountId: order.accountId,
    amountSen: order.amountSen,
    feeSen: order.adminSen,
    rail: RAIL,
    product: BILLER,
    transactionId: order.transactionId,
    referenceNumber: order.referenceNumber,
    description: `${order.productCode} ${order.customerId}`,
  };
}
