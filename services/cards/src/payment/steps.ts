import { callWithin } from '@gerbang/rails';
import type { AuthorisedPayment, DoneResult } from '@gerbang/rails/card';
import type { Context } from '../context.ts';
import { ask } from './authorise.ts';
import { changePayment } from './change.ts';
import { takeWord } from './contradiction.ts';
import type { StoredPayment } from './document.ts';
import { productOf } from './product.ts';
import { isAuthorised, type PaymentCommand, type Refund } from './state.ts';

type NotDone = Exclude<DoneResult, { outcome: 'done' }>;

const CAPTURED = { outcome: 'captured' } as const;
const VOIDED = { outcome: 'voided' } as const;
const REFUNDED = { outcome: 'refunded' } as const;

/** Takes the authorised amount. Where the acquirer refuses it is asked how the payment stands: it may have ended it. */
export async function capture(context: Context, payment: StoredPayment): Promise<StoredPayment> {
  const said = await callWithin(context.railTimeoutMs, (signal) => context.rail.capture(requestOf(payment), { signal }));
  if (said.outcome === 'done') return takeWord(context, payment, capturedCommand(context, payment), CAPTURED);
  return followInquiry(context, payment, said);
}

/** Gives up the authorisation. Where the acquirer refuses it may have captured or ended it already. */
export async function voidPayment(context: Context, payment: StoredPayment): Promise<StoredPayment> {
  const said = await callWithin(context.railTimeoutMs, (signal) => context.rail.void(requestOf(payment), { signal }));
  if (said.outcome === 'done') return takeWord(context, payment, { type: 'voided' }, VOIDED);
  return followInquiry(context, payment, said);
}

/** The same for what was authorised after it had failed here. */
export async function release(context: Context, payment: StoredPayment): Promise<StoredPayment> {
  const said = await callWithin(context.railTimeoutMs, (signal) => context.rail.void(requestOf(payment), { signal }));
  if (said.outcome === 'done') return write(context, payment, { type: 'released' });
  const now = await ask(context, payment);
  const isGone = now.outcome === 'voided' || now.outcome === 'failed' || now.outcome === 'refunded';
  return write(context, payment, isGone ? { type: 'released' } : { type: 'wait', waitingFor: said.reason });
}

/** Has the acquirer give back what the ledger has given to the rail. A refusal is final only if the acquirer has not refunded it. */
export async function refund(context: Context, payment: StoredPayment, { attempt }: Refund): Promise<StoredPayment> {
  const asked = requestOf(payment);
  const request = { ...asked, refundReference: `${asked.reference}R${attempt}` };
  const said = await callWithin(context.railTimeoutMs, (signal) => context.rail.refund(request, { signal }));
  if (said.outcome === 'done') return takeWord(context, payment, { type: 'refund-done' }, REFUNDED);
  if (said.outcome === 'unknown') return write(context, payment, { type: 'wait', waitingFor: said.reason });
  if (context.rail.inquire === undefined) return write(context, payment, { type: 'refund-refused', reason: said.reason });
  const now = await ask(context, payment);
  if (now.outcome === 'refunded') return takeWord(context, payment, { type: 'refund-done' }, now);
  if (now.outcome === 'captured') return write(context, payment, { type: 'refund-refused', reason: said.reason });
  return write(context, payment, { type: 'wait', waitingFor: said.reason });
}

/** What an acquirer is asked to do with a payment, and how often it was asked before. */
function requestOf({ order, state }: StoredPayment): AuthorisedPayment {
  return {
    reference: order.id,
    amountSen: order.amountSen.toString(),
    ...('asked' in state && { tries: state.asked.tries }),
    ...(isAuthorised(state) && { approvalCode: state.authorisation.approvalCode }),
  };
}

/** What the acquirer says now of a payment that it does not capture or void. */
async function followInquiry(context: Context, payment: StoredPayment, answer: NotDone): Promise<StoredPayment> {
  if (context.rail.inquire === undefined) return write(context, payment, byItsWord(payment, answer));
  const { reason } = answer;
  const said = await ask(context, payment);
  switch (said.outcome) {
    case 'captured':
      return takeWord(context, payment, capturedCommand(context, payment), said);
    case 'voided':
      // Of a void it is what was asked for.
      if (payment.state.status === 'voiding') return takeWord(context, payment, { type: 'voided' }, said);
      return takeWord(context, payment, { type: 'lose', code: 'VOIDED', reason: 'The acquirer has given it up' }, said);
    case 'refunded':
      return takeWord(context, payment, { type: 'lose', code: 'REFUNDED', reason: 'The acquirer has given it back' }, said);
    case 'failed':
      return takeWord(context, payment, { type: 'lose', code: said.code, reason: said.reason }, said);
    case 'authorised':
      return write(
        context,
        payment,
        isVoidRefused(payment, answer) ? { type: 'void-refused', reason } : { type: 'wait', waitingFor: reason },
      );
    case 'challenge':
    case 'pending':
    case 'not_found':
    case 'unknown':
      return write(context, payment, { type: 'wait', waitingFor: reason });
    default:
      return said satisfies never;
  }
}

/** Where an acquirer can't be asked, an explicit refusal counts: the authorisation stands, or there is none to be captured. */
function byItsWord(payment: StoredPayment, answer: NotDone): PaymentCommand {
  if (answer.outcome === 'unknown') return { type: 'wait', waitingFor: answer.reason };
  const { code, reason } = answer;
  return isVoidRefused(payment, answer) ? { type: 'void-refused', reason } : { type: 'lose', code, reason };
}

function isVoidRefused({ state }: StoredPayment, { outcome }: NotDone): boolean {
  return state.status === 'voiding' && outcome === 'failed';
}

/** What a capture means: when it settles. */
export function capturedCommand({ settlesAt, clock }: Context, { order }: StoredPayment): PaymentCommand {
  return { type: 'captured', settleAtMs: settlesAt(productOf(order), clock.now()) };
}

async function write(context: Context, payment: StoredPayment, command: PaymentCommand): Promise<StoredPayment> {
  return (await changePayment(context, payment, command)).payment;
}
