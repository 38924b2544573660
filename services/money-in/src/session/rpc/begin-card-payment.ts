import { RefusalError, refuse, refuseField } from '@gerbang/core';
import type { BeginCardPaymentRequest } from '@gerbang/proto/gerbang/money_in/v1/link_card';
import type { Context } from '../../context.ts';
import { linkReference } from '../../payment-link/payment-link.ts';
import { changeFields } from '../../payment-request/change.ts';
import { isOverdue } from '../../payment-request/payment-request.ts';
import type { PaymentRequest } from '../../payment-request/request.ts';
import { isNext } from '../card-attempt.ts';
import { CARD } from '../card-method.ts';
import { findSession } from '../find.ts';
import { asSession } from '../session.ts';

/**
 * Begins a try by card, or finds the one that was begun: by one write, so that of two pages only one begins it. Refusals:
 * transaction_not_found, validation (attempt), bad_request (the session is over, or its customer has not chosen CARD), unavailable.
 */
export async function beginCardPayment(context: Context, { reffNo, attempt, paymentId }: BeginCardPaymentRequest) {
  if (paymentId === '') throw new RefusalError(refuseField('payment_id', 'is required'));
  const { session, link } = await findSession(context, reffNo);
  const { request } = await changeFields(context, session, (current) => {
    const details = asSession(current.details);
    if (!isNext(details, attempt)) return undefined;
    mustBePayable(current, context.clock.now());
    return { details: { ...details, card: { attempt, paymentId, status: 'open' } } };
  });
  const { card, customerName, customerEmail, customerPhone } = asSession(request.details);
  if (card === undefined) throw new RefusalError(refuseField('attempt', 'must be 1'));
  const { order, state } = request;
  return {
    paymentId: card.paymentId,
    mayCharge: card.attempt === attempt && card.status === 'open' && isPayable(request, context.clock.now()),
    merchantId: order.merchantId,
    accountId: order.accountId,
    amountSen: state.minSen,
    linkReffNo: linkReference(link.order.id),
    expiresAtMs: BigInt(state.expiresAtMs ?? context.clock.now()),
    customerName,
    customerEmail,
    customerPhone,
  };
}

function isPayable({ state }: PaymentRequest, nowMs: number): boolean {
  return state.status === 'active' && state.inFlight.length === 0 && !isOverdue(state, nowMs);
}

/** The customer has chosen CARD, so that a use of a limited link is reserved, and cards were not declined too often. */
function mustBePayable(session: PaymentRequest, nowMs: number): void {
  const { issued, declined } = asSession(session.details);
  const isChosen = issued.some(({ method }) => method === CARD) && !declined.includes(CARD);
  if (!isChosen || !isPayable(session, nowMs)) throw new RefusalError(refuse('bad_request', { message: 'This payment is over' }));
}
