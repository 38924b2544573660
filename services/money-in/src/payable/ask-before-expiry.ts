import { TipIndicator } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import type { PaidOutcome } from '@gerbang/rails';
import type { Context } from '../context.ts';
import { receive } from '../payment/receive.ts';
import { linkReference } from '../payment-link/message.ts';
import { qrisReference } from '../qris/message.ts';
import type { Question, RailAnswer } from '../rail/ask.ts';
import { mustFind } from './change.ts';
import { isOverdue } from './payable.ts';
import { EWALLET_CHECKOUT, PAYMENT_LINK, PAYMENT_LINK_HISTORY, QRIS, RETAIL, VIRTUAL_ACCOUNT } from './product.ts';
import type { StoredPayable } from './stored-payable.ts';

/** A rail that does not say what has become of a payment is asked so often, 0.5 s, 1 s, 2 s … a minute apart: some three minutes. */
const ASKED_MAX = 10;
const WAIT_FIRST_MS = 500;
const WAIT_MAX_MS = 60_000;
/** One that says that it is still open says so once more; what is paid there later than that, it tells with a time that is after the expiry. */
const PENDING_MAX = 2;
/** A silent rail is left alone for so long. */
const LEFT_ALONE_MS = 2_000;

/** What comes of a payable whose time is over: it expires, as it then stands; or it waits; or it has ended meanwhile. */
export type Verdict =
  | { verdict: 'expire'; payable: StoredPayable }
  | { verdict: 'wait'; payable: StoredPayable; untilMs: number; asked: number }
  | { verdict: 'over' };

/** Whether a rail holds what customers pay it by, and so may know of a payment that it has not told of yet. */
export function isHeldByRail(payable: StoredPayable): boolean {
  return questionsOf(payable).length > 0;
}

/**
 * Asks the rails that hold an overdue payable what has become of it. What was paid there is received as if the rail had told of it, by the rail's own time and
 * reference, so its callback counts nothing twice. Where a rail does not say, the payable waits, but not for ever: a payment that was made in time counts
 * whenever it is told of. Fails where the ledger does not answer.
 */
export async function askBeforeExpiry(context: Context, payable: StoredPayable): Promise<Verdict> {
  const outcomes = new Set<RailAnswer['outcome']>();
  for (const question of questionsOf(payable)) {
    const answer = await context.askRail(question);
    context.metrics.asked(question.rail, answer.outcome);
    outcomes.add(answer.outcome);
    if (answer.outcome === 'paid') await receivePaid(context, payable, question, answer);
  }
  const current = outcomes.has('paid') ? await mustFind(context, payable.order.id) : payable;
  const nowMs = context.clock.now();
  if (!isOverdue(current.state, nowMs)) return { verdict: 'over' };
  const before = payable.asked ?? 0;
  const asked = before + 1;
  if (current.state.inFlight.length > 0) return { verdict: 'wait', payable: current, untilMs: nowMs + WAIT_FIRST_MS, asked };
  if (outcomes.has('unasked')) return { verdict: 'wait', payable: current, untilMs: nowMs + LEFT_ALONE_MS, asked: before };
  if ((outcomes.has('unknown') && asked < ASKED_MAX) || (outcomes.has('pending') && asked < PENDING_MAX)) {
    const waitMs = Math.min(WAIT_FIRST_MS * 2 ** before, WAIT_MAX_MS);
    return { verdict: 'wait', payable: current, untilMs: nowMs + waitMs, asked };
  }
  if (outcomes.has('unknown'))
    context.log.error({ payable: payable.order.id, asked }, 'its rail never said what has become of it; it expires');
  return { verdict: 'expire', payable: current };
}

/** What the rails of a payable are asked; none where none holds it. */
function questionsOf({ order, state, details }: StoredPayable): Question[] {
  const amountSen = state.minSen;
  switch (details.kind) {
    case QRIS:
      return [{ rail: 'qris', reference: qrisReference(order.id), amountSen }];
    case EWALLET_CHECKOUT:
      return [{ rail: 'ewallet', reference: order.publicId, amountSen }];
    case PAYMENT_LINK_HISTORY: {
      const reference = linkReference(PAYMENT_LINK_HISTORY, order.id);
      return details.issued.flatMap(({ method }): Question[] => {
        const [group, channel = ''] = method.split('_', 2);
        if (group === 'QRIS') return [{ rail: 'qris', reference, amountSen }];
        return group === 'EWALLET' ? [{ rail: 'ewallet', reference: `${reference}-${channel}`, amountSen }] : [];
      });
    }
    case VIRTUAL_ACCOUNT:
    case RETAIL:
    case PAYMENT_LINK:
      return [];
    default:
      return details satisfies never;
  }
}

/** SNAP's answer tells the whole amount; what is above the code's own is the tip where the code takes one. */
async function receivePaid(context: Context, payable: StoredPayable, question: Question, paid: PaidOutcome): Promise<void> {
  const { details, state } = payable;
  const takesTip = details.kind === QRIS && details.tip_indicator !== TipIndicator.UNSPECIFIED;
  const { railReference, amountSen, paidAtMs } = paid;
  context.log.info({ payable: payable.order.id, rail: question.rail }, 'a payment is known by asking its rail');
  await receive(context, {
    rail: question.rail,
    partnerId: context.rails.callbackPartnerIds[question.rail],
    railReference,
    paidTo: question.reference,
    amountSen,
    tipSen: takesTip && amountSen > state.minSen ? amountSen - state.minSen : 0n,
    paidAtMs,
    moneyTaken: true,
    payer: undefined,
    payable,
  });
}
