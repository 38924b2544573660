import { callWithin } from '@gerbang/rails';
import type { AuthorisationState, CardData, InquiryResult } from '@gerbang/rails/card';
import type { Context } from '../context.ts';
import { type Asking, changePayment } from './change.ts';
import { takeWord } from './contradiction.ts';
import type { StoredPayment } from './document.ts';
import { believableMs, feesFor } from './fees.ts';
import { ANSWER_MARGIN_MS, NOT_FOUND_FINAL_MS } from './schedule.ts';
import type { PaymentCommand, PaymentOrder, PaymentState } from './state.ts';

/**
 * Sends a payment to the acquirer. That it goes is written before; only who has written it sends, and it is sent once, because
 * the card is gone with the call.
 */
export async function authorise(context: Context, payment: StoredPayment, card: CardData): Promise<StoredPayment> {
  const marked = await changePayment(context, payment, { type: 'send' });
  if (!marked.isChanged) return marked.payment;
  const { order } = marked.payment;
  const request = {
    reference: order.id,
    amountSen: order.amountSen.toString(),
    installmentMonths: order.installmentMonths,
    merchantReference: order.merchantReffNo,
    merchantName: order.merchantName,
    returnUrl: `${context.payUrl}/card/${order.id}`,
    ...initiationOf(order),
  };
  const said = await callWithin(context.railTimeoutMs, (signal) => context.rail.authorise(request, card, { signal }));
  context.latelyAsked.add(order.id);
  context.outage.report(said.outcome !== 'unknown');
  const answered = await takeAnswer(context, marked.payment, said);
  // It was given up meanwhile, because the acquirer had not got it by then: what is authorised now is released.
  const isLate = (said.outcome === 'authorised' || said.outcome === 'captured') && answered.state.status === 'failed';
  return isLate ? write(context, answered, { type: 'late-authorised' }) : answered;
}

/** A charge without its customer refers to the one that the customer has agreed to. */
function initiationOf({ recurring }: PaymentOrder) {
  if (recurring?.initiatedBy !== 'merchant') return {};
  const { networkTransactionId } = recurring;
  return { initiated: recurring.initiatedBy, ...(networkTransactionId !== '' && { networkTransactionId }) };
}

export type Open = Extract<PaymentState, { status: 'authorising' | 'challenging' }>;

/**
 * Resolves a payment that the acquirer may have. One that it may still answer is left to it where resolving would end it. A customer
 * who was not authenticated in time is not waited for any longer.
 */
export async function inquireAuthorisation(
  context: Context,
  payment: StoredPayment,
  state: Open,
  asking: Asking = 'by-timer',
): Promise<StoredPayment> {
  if (mayStillAnswer(context, state))
    return write(context, payment, { type: 'hold', waitingFor: 'the acquirer may still answer' }, asking);
  context.latelyAsked.add(payment.order.id);
  const isLate = state.status === 'challenging' && context.clock.now() >= state.expiresAtMs;
  if (isLate && (await isGivenUp(context, payment))) {
    const late = { code: 'AUTHENTICATION_EXPIRED', reason: 'The customer was not authenticated in time' };
    return write(context, payment, { type: 'fail', ...late });
  }
  const said = await resolve(context, payment, state);
  if (said.outcome !== 'not_found') return takeAnswer(context, payment, said, asking);
  if (context.clock.now() - state.sentAtMs < NOT_FOUND_FINAL_MS)
    return write(context, payment, { type: 'wait', waitingFor: 'the acquirer does not know it yet' }, asking);
  return write(context, payment, { type: 'fail', code: 'NOT_RECEIVED', reason: 'It has not reached the acquirer' });
}

/** An acquirer that answers no inquiries would take back what another process is just waiting for. */
function mayStillAnswer({ rail, railTimeoutMs, clock }: Context, { sentAtMs }: Open): boolean {
  return rail.inquire === undefined && clock.now() < sentAtMs + railTimeoutMs + ANSWER_MARGIN_MS;
}

/** The first try was the authorisation itself. */
function resolve({ rail, railTimeoutMs }: Context, { order }: StoredPayment, { asked }: Open): Promise<InquiryResult> {
  const request = { reference: order.id, amountSen: order.amountSen.toString(), tries: Math.max(0, asked.tries - 1) };
  return callWithin(railTimeoutMs, (signal) => rail.resolve(request, { signal }));
}

/** How the payment stands at the acquirer; unknown where it answers no inquiries. */
export async function ask({ rail, railTimeoutMs }: Context, { order }: StoredPayment): Promise<InquiryResult> {
  const { inquire } = rail;
  if (inquire === undefined) return { outcome: 'unknown', reason: 'the acquirer answers no inquiries' };
  return callWithin(railTimeoutMs, (signal) => inquire({ reference: order.id }, { signal }));
}

/** Whether the acquirer has given up the authentication, so that nothing can be authorised any more. */
async function isGivenUp({ rail, railTimeoutMs }: Context, { order }: StoredPayment): Promise<boolean> {
  const request = { reference: order.id, amountSen: order.amountSen.toString() };
  const said = await callWithin(railTimeoutMs, (signal) => rail.void(request, { signal }));
  return said.outcome === 'done';
}

async function takeAnswer(
  context: Context,
  payment: StoredPayment,
  said: AuthorisationState | Extract<InquiryResult, { outcome: 'unknown' }>,
  asking: Asking = 'by-timer',
): Promise<StoredPayment> {
  switch (said.outcome) {
    case 'authorised':
      return takeWord(context, payment, await authorisedCommand(context, payment, said), said);
    // It can not be captured without us, unless an acquirer captures by itself: then the credit follows as usual.
    case 'captured':
      return takeWord(
        context,
        payment,
        await authorisedCommand(context, payment, { ...said, approvalCode: '', authorisedAtMs: undefined }),
        said,
      );
    case 'challenge': {
      const { link } = payment.order;
      const expiresAtMs = Math.min(context.clock.now() + context.challengeMs, link?.expiresAtMs ?? Number.POSITIVE_INFINITY);
      const { url, fields } = said;
      return write(context, payment, { type: 'challenge', url, ...(fields && { fields }), expiresAtMs }, asking);
    }
    case 'pending':
      return write(context, payment, { type: 'pending' }, asking);
    case 'failed':
      return takeWord(context, payment, { type: 'fail', code: said.code, reason: said.reason }, said);
    case 'voided':
    case 'refunded':
      return takeWord(context, payment, { type: 'fail', code: 'VOIDED', reason: 'The acquirer has given it up' }, said);
    case 'unknown':
      return write(context, payment, { type: 'wait', waitingFor: said.reason }, asking);
    default:
      return said satisfies never;
  }
}

type Told = {
  acquirerReference: string;
  approvalCode: string;
  authorisedAtMs: number | undefined;
  networkTransactionId?: string;
};

/** What an authorisation means: its fees are those of its moment, and its capture comes after the delay. */
export async function authorisedCommand(context: Context, { order }: StoredPayment, told: Told): Promise<PaymentCommand> {
  const nowMs = context.clock.now();
  const authorisedAtMs = believableMs(told.authorisedAtMs, order, nowMs);
  const fees = await feesFor(context, order, authorisedAtMs);
  const { acquirerReference, approvalCode, networkTransactionId = '' } = told;
  const captureAtMs = nowMs + context.captureAfterMs;
  return {
    type: 'authorise',
    authorisation: { acquirerReference, approvalCode, authorisedAtMs, captureAtMs, networkTransactionId, fees },
  };
}

async function write(context: Context, payment: StoredPayment, command: PaymentCommand, asking?: Asking): Promise<StoredPayment> {
  return (await changePayment(context, payment, command, asking)).payment;
}
