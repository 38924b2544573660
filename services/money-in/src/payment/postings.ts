import { type RefusalCode, RefusalError } from '@gerbang/core';
import { Compensation, Intent, Side } from '@gerbang/proto/gerbang/ledger/v1/ledger';
import type { Context } from '../context.ts';
import type { PaymentOrder } from './order.ts';
import type { FeeBreakdown, Reversal } from './state.ts';

const REFERENCE_MAX = 128;

type LedgerContext = Pick<Context, 'ledger'>;

/**
 * Credits the net amount to pending, once per payment: from the rail, or from suspense where an operator has decided so. Suspense
 * of another partition gives the money back to its rail there, and the rail brings it here. Refusals: unavailable, timeout,
 * account_limit.
 */
export async function postCredit(
  { ledger }: LedgerContext,
  order: PaymentOrder,
  { netSen, feeSen, vendorFeeSen }: FeeBreakdown,
): Promise<void> {
  const { fromSuspense } = order;
  if (fromSuspense !== undefined && fromSuspense !== order.partition) await postOutOfSuspense({ ledger }, order, fromSuspense);
  await ledger.post({
    ...posting(order),
    partition: order.partition,
    intent: Intent.CREDIT,
    side: Side.PENDING,
    fromSuspense: fromSuspense !== undefined && fromSuspense === order.partition,
    postingKey: `${order.publicId}:credit`,
    amountSen: netSen,
    feeSen,
    vendorFeeSen,
  });
}

/**
 * Moves the net amount from pending to available, once per payment. Gives the moment, Unix milliseconds; undefined where the
 * money has left pending for the rail, because the rail has reversed the payment.
 */
export async function postSettlement(
  { ledger }: LedgerContext,
  order: PaymentOrder,
  { netSen, feeSen }: FeeBreakdown,
): Promise<number | undefined> {
  const settlement = {
    ...posting(order),
    partition: order.partition,
    intent: Intent.SETTLE,
    postingKey: leavesPending(order),
    amountSen: netSen,
    feeSen,
  };
  const posted = await unlessRefused('posting_key_conflict', () => ledger.post(settlement));
  return posted === undefined ? undefined : Number(posted.postedAtMs);
}

/**
 * Gives the rail back what it has reversed, with the fee, once per payment and attempt: from pending while the payment has not
 * settled, else from available; or from suspense, where an operator spares the account. Refusals: unavailable, timeout.
 */
export async function postReversal(
  { ledger }: LedgerContext,
  order: PaymentOrder,
  { netSen, feeSen, vendorFeeSen }: FeeBreakdown,
  { takenFrom, attempt }: Reversal,
): Promise<'booked' | 'short-balance'> {
  const withdrawal = {
    ...posting(order),
    partition: order.partition,
    intent: Intent.COMPENSATE,
    compensation: Compensation.PAYMENT_WITHDRAWN,
  };
  const ofAccount = { ...withdrawal, amountSen: netSen, feeSen, vendorFeeSen };
  const key = attempt === 1 ? `${order.publicId}:reversal` : `${order.publicId}:reversal:${attempt}`;
  if (takenFrom === 'suspense') {
    await ledger.post({ ...withdrawal, side: Side.SUSPENSE, postingKey: key, amountSen: order.amountSen, feeSen: 0n });
    return 'booked';
  }
  const fromPending = { ...ofAccount, side: Side.PENDING, postingKey: leavesPending(order) };
  if ((await unlessRefused('posting_key_conflict', () => ledger.post(fromPending))) !== undefined) return 'booked';
  const fromAvailable = { ...ofAccount, side: Side.AVAILABLE, postingKey: key };
  const posted = await unlessRefused('insufficient_balance', () => ledger.post(fromAvailable));
  return posted === undefined ? 'short-balance' : 'booked';
}

/**
 * The key of the one posting by which a payment's money leaves pending: its settlement or its withdrawal. The ledger takes a key
 * once, so only one of them can ever be booked, also where both are tried at once.
 */
function leavesPending({ publicId }: PaymentOrder): string {
  return `${publicId}:settle`;
}

/** Undefined where the ledger refuses for this reason. */
async function unlessRefused<T>(refused: RefusalCode, post: () => Promise<T>): Promise<T | undefined> {
  try {
    return await post();
  } catch (error) {
    if (error instanceof RefusalError && error.refusal.refused === refused) return undefined;
    throw error;
  }
}

/** Money that fits nothing waits in suspense, once per payment. */
export async function postSuspense({ ledger }: LedgerContext, order: PaymentOrder): Promise<void> {
  await ledger.post({
    ...posting(order),
    partition: order.partition,
    intent: Intent.CREDIT,
    side: Side.SUSPENSE,
    postingKey: `${order.publicId}:suspense`,
    amountSen: order.amountSen,
    feeSen: 0n,
  });
}

/** The rail has money of suspense again, once per payment: what it gives back, or brings into another partition. */
export async function postOutOfSuspense({ ledger }: LedgerContext, order: PaymentOrder, partition: string): Promise<void> {
  await ledger.post({
    ...posting(order),
    partition,
    intent: Intent.REFUND,
    side: Side.SUSPENSE,
    postingKey: `${order.publicId}:out-of-suspense`,
    amountSen: order.amountSen,
    feeSen: 0n,
  });
}

function posting(order: PaymentOrder) {
  return {
    merchantId: order.merchantId,
    accountId: order.accountId,
    rail: order.rail,
    product: order.product,
    transactionId: order.publicId,
    // The ledger's texts are shorter than a merchant's reference may be.
    referenceNumber: order.merchantReffNo.slice(0, REFERENCE_MAX).toWellFormed(),
    description: '',
  };
}
