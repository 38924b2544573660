import type { Context } from '../context.ts';
import { changePayable, mustFind, takeUse } from '../payable/change.ts';
import { effectivePaidAtMs, type Misfit } from '../payable/payable.ts';
import { PAYMENT_LINK_HISTORY } from '../payable/product.ts';
import type { Payment, StoredPayable } from '../payable/stored-payable.ts';
import { tipFits } from '../qris/tip.ts';
import { changePayment } from './change.ts';
import { figuresFor } from './figures.ts';
import { finishCredit, finishRefund } from './leave-suspense.ts';
import { figuresOf } from './payment.ts';
import { postCredit, postSuspense } from './postings.ts';
import type { StoredPayment } from './stored-payment.ts';

/** More steps than a payment can need: one that goes on is a fault. */
const STEPS_MAX = 20;

/**
 * Takes a payment as far as it goes without waiting: each step is idempotent by its key, is begun again by whoever comes next where this process dies, and
 * may be done by two replicas at once. Fails where somebody behind does not answer; the payment's timer comes back to it then.
 */
export async function carryOn(context: Context, payment: StoredPayment): Promise<StoredPayment> {
  let current = payment;
  for (let step = 0; step < STEPS_MAX; step++) {
    const next = await advance(context, current);
    if (next === undefined) return current;
    current = next;
  }
  throw new Error(`payment ${payment.order.id} does not come to rest`);
}

/** One step; undefined where there is nothing to do now. */
async function advance(context: Context, payment: StoredPayment): Promise<StoredPayment | undefined> {
  switch (payment.state.status) {
    case 'received':
      return takeItsUse(context, payment);
    case 'accepted':
      return credit(context, payment);
    case 'suspending':
      await postSuspense(context, payment.order);
      return changePayment(context, payment, { type: 'suspend' });
    case 'crediting':
      return finishCredit(context, payment);
    case 'refunding':
      return finishRefund(context, payment);
    case 'paid':
    case 'settled':
    case 'refused':
    case 'suspended':
    case 'credited':
    case 'refunded':
      return undefined;
    default:
      return payment.state satisfies never;
  }
}

/** Decides whether the payment fits, by taking a use of its payable. */
async function takeItsUse(context: Context, payment: StoredPayment): Promise<StoredPayment> {
  const { order } = payment;
  const isStillWanted = async () => (await context.payments.find(order.id))?.state.status === 'received';
  const payable = order.payableId === '' ? undefined : await mustFind(context, order.payableId);
  const reason = payable === undefined ? 'unknown' : await take(context, payment, payable, isStillWanted);
  if (payable === undefined || reason !== undefined) {
    const rejected = await changePayment(context, payment, {
      type: 'reject',
      reason: reason ?? 'unknown',
      taken: order.moneyTaken,
    });
    context.metrics.rejected(order.rail, reason ?? 'unknown');
    return rejected;
  }
  return changePayment(context, payment, {
    type: 'accept',
    figures: await figuresFor(context, order, order.merchantId, payable),
  });
}

/** A history's payment takes a use of its link too; one that was issued while the link was good stays good. */
async function take(
  context: Context,
  { order }: StoredPayment,
  payable: StoredPayable,
  isStillWanted: () => Promise<boolean>,
): Promise<Misfit | undefined> {
  const paidAtMs = effectivePaidAtMs(order.paidAtMs, order.receivedAtMs);
  if (!tipFits(payable, order.tipSen)) return 'wrong-amount';
  // A tip comes on top of what the payable asks for.
  const amountSen = order.amountSen - order.tipSen;
  const misfit = await takeUse(context, payable, { type: 'take', by: order.id, amountSen, paidAtMs }, isStillWanted);
  if (misfit !== undefined || payable.details.kind !== PAYMENT_LINK_HISTORY) return misfit;
  const link = await mustFind(context, payable.details.link);
  return takeUse(context, link, { type: 'take', by: payable.order.id, amountSen, paidAtMs, issued: true }, isStillWanted);
}

/** The ledger first, then the payable's use, then the payment: what others hear of has happened. */
async function credit(context: Context, payment: StoredPayment): Promise<StoredPayment> {
  const { order } = payment;
  await postCredit(context, order, figuresOf(payment.state));
  if (order.payableId !== '' && order.fromSuspense === undefined) await finishUse(context, payment);
  const paid = await changePayment(context, payment, { type: 'pay' });
  if (paid.document.version === payment.document.version + 1n) {
    context.metrics.paid(order.product, context.clock.now() - order.receivedAtMs);
    context.log.info({ payment: order.id, merchant_id: order.merchantId, product: order.product }, 'payment credited');
  }
  return paid;
}

async function finishUse(context: Context, payment: StoredPayment): Promise<void> {
  const { order } = payment;
  const payable = await mustFind(context, order.payableId);
  const { kind } = payable.details;
  if (payable.details.kind === PAYMENT_LINK_HISTORY) {
    const link = await mustFind(context, payable.details.link);
    const counted = await changePayable(context, link, { type: 'finish', by: payable.order.id });
    await changePayable(
      context,
      payable,
      { type: 'finish', by: order.id },
      { payment: paymentOf(payment), announced: 'paid', link: counted },
    );
  } else if (kind === 'virtual-account') await changePayable(context, payable, { type: 'finish', by: order.id });
  else
    await changePayable(context, payable, { type: 'finish', by: order.id }, { payment: paymentOf(payment), announced: 'paid' });
}

/** What a payable that is paid once shows of its payment. */
function paymentOf({ order, state }: StoredPayment): Payment {
  const { amountSen, feeSen, netSen, vendorFeeSen, ourMarginSen, basisPoints, settleAtMs } = figuresOf(state);
  const { tipSen, paidAtMs, railReference, payer } = order;
  const figures = { amountSen, feeSen, netSen, vendorFeeSen, ourMarginSen, basisPoints, settleAtMs };
  return { ...figures, tipSen, paidAtMs, settledAtMs: undefined, railReference, payer };
}
