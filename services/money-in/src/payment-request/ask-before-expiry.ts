import type { PaidOutcome } from '@gerbang/rails';
import type { Context } from '../context.ts';
import { receive } from '../payment/receive.ts';
import type { RailAnswer } from '../rail/ask.ts';
import type { Question } from '../rail/rail.ts';
import { mustFind } from './change.ts';
import type { StoredPaymentRequest } from './document.ts';
import { isOverdue } from './payment-request.ts';

/**
 * A rail that does not say what has become of a payment is asked so often, 0.5 s, 1 s, 2 s … a minute apart: some three minutes.
 */
const ASKED_MAX = 10;
const WAIT_FIRST_MS = 500;
const WAIT_MAX_MS = 60_000;
/**
 * One that says that it is still open says so once more; what is paid there later than that, it tells with a time that is after
 * the expiry.
 */
const PENDING_MAX = 2;
/** A rail whose breaker is open is left alone for so long. */
const LEFT_ALONE_MS = 2_000;

/**
 * What comes of a payment request whose time is over: it expires, as it then stands (`isUnanswered`: though its rail never said);
 * or it waits; or it has ended meanwhile.
 */
export type Verdict =
  | { verdict: 'expire'; request: StoredPaymentRequest; isUnanswered: boolean }
  | { verdict: 'wait'; request: StoredPaymentRequest; untilMs: number; asked: number }
  | { verdict: 'over' };

/**
 * Asks the rails that hold an overdue payment request what has become of it. What was paid there is received as if the rail had
 * reported it, by the rail's own time and reference, so its callback counts nothing twice. Where a rail does not say, the request
 * waits, but not for ever: a payment that was made in time counts whenever it is reported. Fails where the ledger does not
 * answer.
 */
export async function askBeforeExpiry(context: Context, request: StoredPaymentRequest): Promise<Verdict> {
  const outcomes = new Set<RailAnswer['outcome']>();
  for (const question of context.kinds.ofRequest(request).heldBy?.(request) ?? []) {
    const answer = await context.askRail(question);
    context.metrics.asked(question.rail, answer.outcome);
    outcomes.add(answer.outcome);
    if (answer.outcome === 'paid') await receivePaid(context, request, question, answer);
  }
  const current = outcomes.has('paid') ? await mustFind(context, request.order.id) : request;
  const nowMs = context.clock.now();
  if (!isOverdue(current.state, nowMs)) return { verdict: 'over' };
  const before = request.asked ?? 0;
  const asked = before + 1;
  if (current.state.inFlight.length > 0) return { verdict: 'wait', request: current, untilMs: nowMs + WAIT_FIRST_MS, asked };
  if (outcomes.has('unasked')) return { verdict: 'wait', request: current, untilMs: nowMs + LEFT_ALONE_MS, asked: before };
  if ((outcomes.has('unknown') && asked < ASKED_MAX) || (outcomes.has('pending') && asked < PENDING_MAX)) {
    const waitMs = Math.min(WAIT_FIRST_MS * 2 ** before, WAIT_MAX_MS);
    return { verdict: 'wait', request: current, untilMs: nowMs + waitMs, asked };
  }
  return { verdict: 'expire', request: current, isUnanswered: outcomes.has('unknown') };
}

/** SNAP's answer tells the whole amount; what is above the code's own is the tip where the code takes one. */
async function receivePaid(
  context: Context,
  request: StoredPaymentRequest,
  question: Question,
  paid: PaidOutcome,
): Promise<void> {
  const { railReference, amountSen, paidAtMs } = paid;
  context.log.info({ payable: request.order.id, rail: question.rail }, 'a payment is known because its rail was asked');
  await receive(context, {
    rail: question.rail,
    partnerId: callbackPartnerOf(context, question.rail),
    railReference,
    paidTo: question.reference,
    amountSen,
    tipSen: context.kinds.ofRequest(request).tips?.within(request, amountSen) ?? 0n,
    paidAtMs,
    moneyTaken: true,
    payer: undefined,
    request,
  });
}

/** Under which name the rail reports the same payment by itself. */
function callbackPartnerOf({ rails }: Pick<Context, 'rails'>, rail: string): string {
  const partnerId = rails.callbackPartnerIds[rail];
  if (partnerId === undefined) throw new Error(`the rail ${rail} has no partner that reports its payments`);
  return partnerId;
}
