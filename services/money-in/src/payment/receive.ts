import { newUlid } from '@gerbang/core';
import type { Context } from '../context.ts';
import { detailsOf, PAYMENT_LINK_HISTORY, type Payer, productOf, VIRTUAL_ACCOUNT } from '../payable/product.ts';
import type { StoredPayable } from '../payable/stored-payable.ts';
import { carryOn } from './carry-on.ts';
import type { PaymentOrder, Rail, StoredPayment } from './stored-payment.ts';

/** What a rail tells of a payment, whichever rail it is. `payable`: what was paid; undefined where the number is nobody's. */
export type Notification = {
  rail: Rail;
  partnerId: string;
  railReference: string;
  paidTo: string;
  amountSen: bigint;
  tipSen: bigint;
  paidAtMs: number;
  moneyTaken: boolean;
  payer: Payer | undefined;
  payable: StoredPayable | undefined;
};

/** The products that a rail's unmatched money is of, should an operator credit it. */
const PRODUCT_OF_RAIL: Record<Rail, string> = {
  va: VIRTUAL_ACCOUNT,
  qris: 'qris',
  ewallet: 'ewallet-checkout',
  retail: 'retail',
};

/**
 * Records what a rail tells and takes it as far as it goes: the decision on a payment is made once, by the first notification that names its reference, and
 * every later one gets the payment as it then stands. Fails where the ledger or the database does not answer; then the rail comes again, and so does the
 * payment's timer.
 */
export async function receive(
  context: Context,
  notification: Notification,
): Promise<{ payment: StoredPayment; isNew: boolean; isSame: boolean }> {
  const nowMs = context.clock.now();
  const order = toOrder(context, notification, nowMs);
  const inserted = await context.payments.insert(order, { status: 'received' }, nowMs);
  if (inserted !== undefined) return { payment: await carryOn(context, inserted), isNew: true, isSame: true };
  const known = await context.payments.find(order.id, { linearizable: true });
  if (known === undefined) throw new Error(`payment ${order.id} has vanished`);
  const isSame = known.order.amountSen === order.amountSen && known.order.paidTo === order.paidTo;
  if (!isSame) {
    context.metrics.contradicted();
    context.log.error({ payment: order.id }, 'a rail has used its reference again for another payment');
    return { payment: known, isNew: false, isSame };
  }
  return { payment: await carryOn(context, known), isNew: false, isSame };
}

function toOrder(context: Context, notification: Notification, nowMs: number): PaymentOrder {
  const { rail, partnerId, railReference, paidTo, amountSen, tipSen, paidAtMs, moneyTaken, payer, payable } = notification;
  return {
    id: `${rail}:${partnerId}:${railReference}`,
    publicId: newUlid(nowMs),
    rail,
    railReference,
    paidTo,
    amountSen,
    tipSen,
    paidAtMs,
    receivedAtMs: nowMs,
    moneyTaken,
    payer,
    product: payable === undefined ? PRODUCT_OF_RAIL[rail] : productOf(payable.details.kind),
    payableId: payable?.order.id ?? '',
    merchantId: payable?.order.merchantId ?? '',
    accountId: payable?.order.accountId ?? '',
    partition: payable?.order.partition ?? context.suspensePartition,
    merchantReffNo: payable?.order.merchantReffNo ?? '',
    virtualAccount: payable === undefined ? undefined : virtualAccountOf(payable),
    fromSuspense: undefined,
  };
}

function virtualAccountOf({ order, details }: StoredPayable): PaymentOrder['virtualAccount'] {
  if (details.kind !== VIRTUAL_ACCOUNT) return undefined;
  const { number, bank_code } = detailsOf(details, VIRTUAL_ACCOUNT);
  return { id: order.publicId, number, bankCode: bank_code };
}

/** The link that a history belongs to; undefined for every other payable. */
export function linkOf({ details }: StoredPayable): string | undefined {
  return details.kind === PAYMENT_LINK_HISTORY ? details.link : undefined;
}
