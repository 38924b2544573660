import type { Context } from '../context.ts';
import { changePaymentRequest, mustFind } from '../payment-request/change.ts';
import { takeStep } from './change.ts';
import type { StoredPayment } from './document.ts';
import { postReversal } from './postings.ts';
import type { PaymentState } from './state.ts';

/** What operators' alerts go by: a rail has contradicted what it told before. */
export const CONTRADICTION = 'rail_contradiction';

/**
 * Takes a payment back that its rail has reversed: the ledger first, then what the payment request shows, then the payment, so
 * merchants are notified only of what has happened. Where the account has too little, nothing is booked and an operator decides.
 */
export async function takeBack(
  context: Context,
  payment: StoredPayment,
  { fees, reversal }: Extract<PaymentState, { status: 'reversing' }>,
): Promise<StoredPayment> {
  const { order } = payment;
  if ((await postReversal(context, order, fees, reversal)) === 'short-balance') {
    const contested = await takeStep(context, payment, { type: 'contest', problem: 'short-balance' });
    if (contested.isChanged) reportContested(context, contested.payment);
    return contested.payment;
  }
  if (order.requestId !== '' && order.fromSuspense === undefined) await showReversed(context, order.requestId);
  const reversed = await takeStep(context, payment, { type: 'finish-reversal' });
  if (reversed.isChanged) {
    context.metrics.reversed(order.product, reversal.takenFrom);
    const told = {
      alert: CONTRADICTION,
      payment: order.id,
      merchant_id: order.merchantId,
      rail: order.rail,
      kind: reversal.kind,
    };
    context.log.warn({ ...told, taken_from: reversal.takenFrom }, 'a rail has reversed a payment, and it is taken back');
  }
  return reversed.payment;
}

/** Counts and alerts: an operator has to decide, because the rail and the account do not agree any more. */
export function reportContested(context: Pick<Context, 'log' | 'metrics'>, { order, state }: StoredPayment): void {
  if (state.status !== 'contested') return;
  context.metrics.reversed(order.product, 'contested');
  const told = { alert: CONTRADICTION, payment: order.id, merchant_id: order.merchantId, rail: order.rail };
  context.log.error(
    { ...told, problem: state.problem },
    'a rail has reversed a payment that could not be taken back; an operator decides',
  );
}

async function showReversed(context: Context, requestId: string): Promise<void> {
  const request = await mustFind(context, requestId);
  const { statusWhenReversed: as, parentIdOf } = context.kinds.ofRequest(request);
  if (as === undefined) return;
  const parent = parentIdOf && (await mustFind(context, parentIdOf(request)));
  await changePaymentRequest(context, request, { type: 'reverse', as }, { event: 'reversed', parent });
}
