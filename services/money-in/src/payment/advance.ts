import type { Context } from '../context.ts';
import { changePaymentRequest, mustFind, takeUse } from '../payment-request/change.ts';
import type { StoredPaymentRequest } from '../payment-request/document.ts';
import { effectivePaidAtMs, type Mismatch } from '../payment-request/payment-request.ts';
import type { PaymentRequest, ShownPayment } from '../payment-request/request.ts';
import { takeStep } from './change.ts';
import type { StoredPayment } from './document.ts';
import { feesFor } from './fees.ts';
import { finishCredit, finishRefund } from './leave-suspense.ts';
import type { Payment } from './order.ts';
import { feesOf } from './payment.ts';
import { postCredit, postSuspense } from './postings.ts';
import { isBelievable, UNBELIEVABLE_TIME } from './rail-time.ts';
import type { Reason } from './state.ts';
import { takeBack } from './take-back.ts';

/** More steps than a payment can need: one that goes on is a fault. */
const STEPS_MAX = 20;

/**
 * Takes a payment as far as it goes without waiting: each step is idempotent by its key, is begun again by the next one where
 * this process dies, and may be done by two replicas at once. Fails where another service does not answer; the payment's timer
 * comes back to it then.
 */
export async function advancePayment(context: Context, payment: StoredPayment): Promise<StoredPayment> {
  let current = payment;
  for (let step = 0; step < STEPS_MAX; step++) {
    const next = await takeNextStep(context, current);
    if (next === undefined) return current;
    current = next;
  }
  throw new Error(`payment ${payment.order.id} does not come to rest`);
}

/** One step; undefined where there is nothing to do now. */
async function takeNextStep(context: Context, payment: StoredPayment): Promise<StoredPayment | undefined> {
  switch (payment.state.status) {
    case 'received':
      return takeItsUse(context, payment);
    case 'accepted':
      return credit(context, payment);
    case 'suspending':
      await postSuspense(context, payment.order);
      return (await takeStep(context, payment, { type: 'suspend' })).payment;
    case 'crediting':
      return finishCredit(context, payment);
    case 'refunding':
      return finishRefund(context, payment);
    case 'reversing':
      return takeBack(context, payment, payment.state);
    case 'paid':
    case 'settled':
    case 'refused':
    case 'suspended':
    case 'credited':
    case 'refunded':
    case 'reversed':
    case 'contested':
    case 'withdrawn':
      return undefined;
    default:
      return payment.state satisfies never;
  }
}

/** Decides whether the payment fits, by taking a use of its payment request. */
async function takeItsUse(context: Context, payment: StoredPayment): Promise<StoredPayment> {
  const { order } = payment;
  const request = order.requestId === '' ? undefined : await mustFind(context, order.requestId);
  const reason = request === undefined ? 'unknown' : await findReason(context, payment, request);
  if (reason !== undefined) return reject(context, payment, reason);
  const fees = await feesFor(context, order, order.merchantId, request);
  return (await takeStep(context, payment, { type: 'accept', fees })).payment;
}

/** Why the payment does not fit; undefined where it has taken its use. Its time decides first: the other rules go by it. */
async function findReason(context: Context, payment: Payment, request: StoredPaymentRequest): Promise<Reason | undefined> {
  if (!isBelievable(payment.order, request.order.createdAtMs)) return 'unbelievable-time';
  return take(context, payment, request);
}

/**
 * Refuses the payment, or takes it into suspense where the rail has the money. One with an unbelievable time goes to suspense in
 * any case (contract §5): the rail's clock is wrong, and that is no reason to turn its customer away.
 */
async function reject(context: Context, payment: StoredPayment, reason: Reason): Promise<StoredPayment> {
  const { order } = payment;
  const isTimeWrong = reason === 'unbelievable-time';
  const rejected = await takeStep(context, payment, { type: 'reject', reason, taken: order.moneyTaken || isTimeWrong });
  if (!rejected.isChanged) return rejected.payment;
  context.metrics.rejected(order.rail, reason);
  if (isTimeWrong) {
    context.metrics.timeNotBelieved(order.rail);
    const told = { payment: order.id, merchant_id: order.merchantId, rail: order.rail, paid_at_ms: order.paidAtMs };
    context.log.error({ alert: UNBELIEVABLE_TIME, ...told }, 'a rail tells a time that cannot be; the money is in suspense');
  }
  return rejected.payment;
}

/** Takes a use of the request's parent too, where it has one; what was issued while that was good stays good. */
async function take(context: Context, { order }: Payment, request: StoredPaymentRequest): Promise<Mismatch | undefined> {
  const isStillWanted = async () => (await context.payments.find(order.id))?.state.status === 'received';
  const paidAtMs = effectivePaidAtMs(order.paidAtMs, order.receivedAtMs);
  const { tips, parentIdOf } = context.kinds.ofRequest(request);
  const tipFits = tips === undefined ? order.tipSen === 0n : tips.fits(request, order.tipSen);
  if (!tipFits) return 'wrong-amount';
  // A tip comes on top of what the request asks for.
  const amountSen = order.amountSen - order.tipSen;
  const mismatch = await takeUse(context, request, { type: 'take', by: order.id, amountSen, paidAtMs }, isStillWanted);
  if (mismatch !== undefined || parentIdOf === undefined) return mismatch;
  const parent = await mustFind(context, parentIdOf(request));
  return takeUse(context, parent, { type: 'take', by: request.order.id, amountSen, paidAtMs, issued: true }, isStillWanted);
}

/** The ledger first, then the request's use, then the payment: what is published has happened. */
async function credit(context: Context, payment: StoredPayment): Promise<StoredPayment> {
  const { order } = payment;
  await postCredit(context, order, feesOf(payment.state));
  if (order.requestId !== '' && order.fromSuspense === undefined) await finishUse(context, payment);
  const { payment: paid, isChanged } = await takeStep(context, payment, { type: 'pay' });
  if (isChanged) {
    context.metrics.paid(order.product, context.clock.now() - order.receivedAtMs);
    context.log.info({ payment: order.id, merchant_id: order.merchantId, product: order.product }, 'payment credited');
  }
  return paid;
}

/** The parent's use first, so that the event says how often the parent has been paid. */
async function finishUse(context: Context, payment: StoredPayment): Promise<void> {
  const { order } = payment;
  const request = await mustFind(context, order.requestId);
  const { ownPayments } = context.kinds.ofRequest(request);
  const finish = { type: 'finish', by: order.id } as const;
  if (ownPayments !== undefined) {
    await changePaymentRequest(context, request, finish);
    return;
  }
  const parent = await finishUseOfParent(context, request);
  await changePaymentRequest(context, request, finish, { payment: shownPaymentOf(payment), event: 'paid', parent });
}

/** The parent as it then stands; undefined for a request without one. */
async function finishUseOfParent(context: Context, request: PaymentRequest): Promise<PaymentRequest | undefined> {
  const { parentIdOf } = context.kinds.ofRequest(request);
  if (parentIdOf === undefined) return undefined;
  const parent = await mustFind(context, parentIdOf(request));
  return (await changePaymentRequest(context, parent, { type: 'finish', by: request.order.id })).request;
}

/** What a request that is paid once shows of its payment. */
function shownPaymentOf({ order, state }: Payment): ShownPayment {
  const { tipSen, paidAtMs, railReference, payer } = order;
  return { ...feesOf(state), tipSen, paidAtMs, settledAtMs: undefined, railReference, payer };
}
