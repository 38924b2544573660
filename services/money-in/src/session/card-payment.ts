import type { ReportCardPaymentRequest } from '@gerbang/proto/gerbang/money_in/v1/link_card';
import type { Context } from '../context.ts';
import { changeFields, changePaymentRequest, mustFind, takeUse } from '../payment-request/change.ts';
import type { StoredPaymentRequest } from '../payment-request/document.ts';
import type { PaymentRequest, ShownPayment } from '../payment-request/request.ts';
import { isAccepted, isOpen, withAccepted, withDeclinedCard } from './card-attempt.ts';
import { CARD } from './card-method.ts';
import { asSession } from './session.ts';

/** What the cards service tells of a payment that the acquirer has authorised. */
export type CardPayment = Omit<ReportCardPaymentRequest, '$typeName' | '$unknown' | 'outcome'>;

/**
 * Counts a payment by card, once however often it is reported: it takes the session's use and the link's, is then accepted, which
 * ends the taking, and finishes both. The money is the cards service's. False: it does not fit, because the session is over or was
 * paid otherwise, or others have used the link up. Nothing was captured, so it is voided, where what comes by another method goes to
 * suspense. Refusals: unavailable.
 */
export async function takeCardPayment(context: Context, session: StoredPaymentRequest, payment: CardPayment): Promise<boolean> {
  const { paymentId } = payment;
  if (!isAccepted(asSession(session.details), paymentId)) {
    const fits = await takeUses(context, session, payment);
    const taken = await mustFind(context, session.order.id);
    const { request } = await changeFields(context, taken, ({ state, details }) => {
      if (!fits) return changeOf(withDeclinedCard(asSession(details), paymentId));
      const accepted = state.inFlight.includes(paymentId) ? withAccepted(asSession(details), paymentId) : undefined;
      return accepted && { details: accepted, payment: shownOf(payment) };
    });
    // Another report of the same payment may have decided meanwhile; its decision stands.
    if (!isAccepted(asSession(request.details), paymentId)) return false;
  }
  await finishUses(context, session.order.id, paymentId);
  return true;
}

/**
 * A payment that is none (any more). One that counted is shown as taken back, as with other methods; any other opens the session for
 * the next try, and leaves it the use that it holds of a limited link. Refusals: unavailable.
 */
export async function giveCardPaymentBack(context: Context, session: StoredPaymentRequest, paymentId: string): Promise<void> {
  const closed = await changeFields(context, session, ({ details }) => changeOf(withDeclinedCard(asSession(details), paymentId)));
  const { id } = session.order;
  const { linkId, ...details } = asSession(closed.request.details);
  if (isAccepted(details, paymentId)) {
    await finishUses(context, id, paymentId);
    const parent = await mustFind(context, linkId);
    const paid = await mustFind(context, id);
    await changePaymentRequest(context, paid, { type: 'reverse', as: 'failed' }, { event: 'reversed', parent });
    return;
  }
  const current = await mustFind(context, id);
  const { request: released } = await changePaymentRequest(context, current, { type: 'release', by: paymentId });
  const link = await mustFind(context, linkId);
  const holdsOn = released.state.status === 'active' && link.state.maxUses !== undefined;
  if (!holdsOn) await changePaymentRequest(context, link, { type: 'release', by: id });
}

/** False where the payment does not fit. Takes nothing once the payment has been decided about. */
async function takeUses(context: Context, session: StoredPaymentRequest, payment: CardPayment): Promise<boolean> {
  const { paymentId, amountSen } = payment;
  const { id } = session.order;
  const isStillWanted = async () => isOpen(asSession((await mustFind(context, id)).details), paymentId);
  const take = { type: 'take', amountSen, paidAtMs: Number(payment.paidAtMs) } as const;
  if (!(await isStillWanted())) return false;
  if ((await takeUse(context, session, { ...take, by: paymentId }, isStillWanted)) !== undefined) return false;
  const link = await mustFind(context, asSession(session.details).linkId);
  const mismatch = await takeUse(context, link, { ...take, by: id }, isStillWanted);
  if (mismatch === undefined) return true;
  if (mismatch === 'used-up') {
    await changePaymentRequest(context, await mustFind(context, id), { type: 'release', by: paymentId });
    return false;
  }
  // What the session was opened with stays good, however its link was changed since.
  await takeUse(context, link, { ...take, by: id, issued: true }, isStillWanted);
  return true;
}

/** The link's use first, so that the event says how often the link has been paid. */
async function finishUses(context: Context, sessionId: string, paymentId: string): Promise<void> {
  const session = await mustFind(context, sessionId);
  const link = await mustFind(context, asSession(session.details).linkId);
  const { request: parent } = await changePaymentRequest(context, link, { type: 'finish', by: sessionId });
  // The customer may have looked at another method since.
  const details = (current: PaymentRequest) => ({
    ...asSession(current.details),
    paymentMethod: CARD,
    paymentMethodValue: paymentId,
  });
  const finish = { type: 'finish', by: paymentId } as const;
  const { isChanged } = await changePaymentRequest(context, session, finish, { event: 'paid', parent, details });
  if (isChanged) context.log.info({ payable: sessionId, transaction_id: paymentId }, 'a payment link was paid by card');
}

function changeOf<T>(details: T | undefined): { details: T } | undefined {
  return details && { details };
}

function shownOf(payment: CardPayment): ShownPayment {
  const { amountSen, feeSen, netSen, vendorFeeSen, basisPoints } = payment;
  return {
    amountSen,
    tipSen: 0n,
    feeSen,
    netSen,
    vendorFeeSen,
    ourMarginSen: feeSen - vendorFeeSen,
    basisPoints,
    paidAtMs: Number(payment.paidAtMs),
    settleAtMs: Number(payment.settleAtMs),
    settledAtMs: undefined,
    railReference: payment.paymentId,
    payer: undefined,
  };
}
