import { newUlid } from '@gerbang/core';
import type { Context } from '../context.ts';
import { railOf } from '../payment-request/kind.ts';
import type { PaymentRequest } from '../payment-request/request.ts';
import { advancePayment } from './advance.ts';
import { type Changed, changePayment } from './change.ts';
import type { StoredPayment } from './document.ts';
import type { Payer, PaymentOrder } from './order.ts';
import { CONTRADICTION } from './take-back.ts';

/** What a rail reports of a payment. `request`: what was paid; undefined where the number belongs to none. */
export type Notification = {
  rail: string;
  partnerId: string;
  railReference: string;
  paidTo: string;
  amountSen: bigint;
  tipSen: bigint;
  paidAtMs: number;
  moneyTaken: boolean;
  payer: Payer | undefined;
  request: PaymentRequest | undefined;
};

/**
 * Records what a rail reports and takes it as far as it goes: the decision on a payment is made once, by the first notification
 * that names its reference, and every later one gets the payment as it then stands. Fails where the ledger or the database does
 * not answer; then the rail comes again, and so does the payment's timer.
 */
export async function receive(
  context: Context,
  notification: Notification,
): Promise<{ payment: StoredPayment; isNew: boolean; isSame: boolean }> {
  const nowMs = context.clock.now();
  const order = toOrder(context, notification, nowMs);
  const inserted = await context.payments.insert(order, { status: 'received' }, nowMs);
  if (inserted !== undefined) return { payment: await advancePayment(context, inserted), isNew: true, isSame: true };
  const known = await context.payments.find(order.id, { linearizable: true });
  if (known === undefined) throw new Error(`payment ${order.id} has vanished`);
  const isSame =
    known.order.paidTo === order.paidTo && (known.state.status === 'withdrawn' || known.order.amountSen === order.amountSen);
  if (!isSame) {
    context.metrics.contradicted();
    context.log.error({ alert: CONTRADICTION, payment: order.id }, 'a rail has used its reference again for another payment');
    return { payment: known, isNew: false, isSame };
  }
  const received = known.state.status === 'withdrawn' ? await receiveWithdrawn(context, known, order) : undefined;
  const payment = received?.payment ?? known;
  return { payment: await advancePayment(context, payment), isNew: received?.isChanged ?? false, isSame };
}

/** The rail had reported the payment's reversal first. What contradicts that goes to suspense, for an operator. */
async function receiveWithdrawn(context: Context, known: StoredPayment, order: PaymentOrder): Promise<Changed> {
  const { publicId } = known.order;
  const told = { type: 'receive', paidAtMs: order.paidAtMs } as const;
  const changed = await changePayment(context, known, told, { ...order, publicId });
  if (changed.isChanged && changed.payment.state.status === 'suspending') {
    context.metrics.contradicted();
    context.metrics.rejected(order.rail, 'withdrawn');
    context.log.error(
      { alert: CONTRADICTION, payment: order.id },
      'a rail reports a payment whose reversal it has reported before',
    );
  }
  return changed;
}

/** The payment that a rail reports, and whose it is. */
export function toOrder(
  { kinds, suspensePartition }: Pick<Context, 'kinds' | 'suspensePartition'>,
  notification: Notification,
  nowMs: number,
): PaymentOrder {
  const { request, partnerId, ...told } = notification;
  const kind = request && kinds.ofRequest(request);
  return {
    ...told,
    id: `${told.rail}:${partnerId}:${told.railReference}`,
    publicId: newUlid(nowMs),
    receivedAtMs: nowMs,
    product: kind?.product ?? railOf(kinds, told.rail)?.product ?? told.rail,
    requestId: request?.order.id ?? '',
    merchantId: request?.order.merchantId ?? '',
    accountId: request?.order.accountId ?? '',
    partition: request?.order.partition ?? suspensePartition,
    merchantReffNo: request?.order.merchantReffNo ?? '',
    paidNumber: request && kind?.ownPayments?.numberOf(request),
    fromSuspense: undefined,
  };
}
