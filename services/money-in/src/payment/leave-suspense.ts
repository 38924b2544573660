import { ulidFrom } from '@gerbang/core';
import type { Context } from '../context.ts';
import { takeStep } from './change.ts';
import type { StoredPayment } from './document.ts';
import { feesOf } from './payment.ts';
import { postOutOfSuspense } from './postings.ts';
import { bookedAtMs } from './rail-time.ts';

/** The id of the payment that money in suspense has become. */
export function creditedId(suspendedId: string): string {
  return `${suspendedId}:credited`;
}

/** Makes the payment that an operator credits, one for each that is in suspense; it goes its own way from there. */
export async function finishCredit(context: Context, suspended: StoredPayment): Promise<StoredPayment> {
  const { order, state } = suspended;
  if (state.status !== 'crediting') return suspended;
  const { merchantId, accountId, partition } = state.target;
  const isItsOwn = merchantId === order.merchantId && accountId === order.accountId;
  const wanted = {
    ...order,
    id: creditedId(order.id),
    publicId: ulidFrom(order.receivedAtMs, creditedId(order.id)),
    merchantId,
    accountId,
    partition,
    merchantReffNo: isItsOwn ? order.merchantReffNo : '',
    paidNumber: isItsOwn ? order.paidNumber : undefined,
    paidAtMs: bookedAtMs(suspended),
    fromSuspense: order.partition,
  };
  // Where it is there already, this has been done before.
  await context.payments.insert(wanted, { status: 'accepted', fees: feesOf(state) }, context.clock.now());
  return (await takeStep(context, suspended, { type: 'finish-credit' })).payment;
}

/** The refund is booked at the rail. */
export async function finishRefund(context: Context, suspended: StoredPayment): Promise<StoredPayment> {
  await postOutOfSuspense(context, suspended.order, suspended.order.partition);
  return (await takeStep(context, suspended, { type: 'finish-refund' })).payment;
}
