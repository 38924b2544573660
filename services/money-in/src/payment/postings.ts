import { Intent, Side } from '@gerbang/proto/gerbang/ledger/v1/ledger';
import type { Context } from '../context.ts';
import type { Figures } from './payment.ts';
import type { PaymentOrder } from './stored-payment.ts';

const REFERENCE_MAX = 128;

type LedgerContext = Pick<Context, 'ledger'>;

/**
 * Credits the net amount to pending, once per payment: from the rail, or from suspense where an operator has decided so. Suspense of another partition gives the
 * money back to its rail there, and the rail brings it here. Refusals: unavailable, timeout, account_limit.
 */
export async function postCredit(
  { ledger }: LedgerContext,
  order: PaymentOrder,
  { netSen, feeSen, vendorFeeSen }: Figures,
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

/** Moves the net amount from pending to available, once per payment. Gives the moment, Unix milliseconds. */
export async function postSettlement(
  { ledger }: LedgerContext,
  order: PaymentOrder,
  { netSen, feeSen }: Figures,
): Promise<number> {
  const { postedAtMs } = await ledger.post({
    ...posting(order),
    partition: order.partition,
    intent: Intent.SETTLE,
    postingKey: `${order.publicId}:settle`,
    amountSen: netSen,
    feeSen,
  });
  return Number(postedAtMs);
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
