import { RailDecision } from '@gerbang/proto/gerbang/money_in/v1/rail';
import type { receive } from '../payment/receive.ts';
import type { ReversalOutcome } from '../payment/reverse.ts';
import type { Reason } from '../payment/state.ts';

const REASONS: Record<Reason, RailDecision> = {
  unknown: RailDecision.UNKNOWN,
  expired: RailDecision.EXPIRED,
  inactive: RailDecision.INACTIVE,
  'used-up': RailDecision.ALREADY_PAID,
  'wrong-amount': RailDecision.WRONG_AMOUNT,
  withdrawn: RailDecision.INCONSISTENT,
  'unbelievable-time': RailDecision.INCONSISTENT,
};

/** The answer to a rail whose payment does not fit, by the reason. */
export function decisionOf(reason: Reason): RailDecision {
  return REASONS[reason];
}

/** The answer to a rail that has reported a payment: the same, however often it asks. */
export function answerTo({ payment, isNew, isSame }: Awaited<ReturnType<typeof receive>>): RailDecision {
  if (!isSame) return RailDecision.INCONSISTENT;
  const { state } = payment;
  switch (state.status) {
    case 'paid':
    case 'settled':
      return isNew ? RailDecision.ACCEPTED : RailDecision.DUPLICATE;
    // A repetition of what was told before, or that came late: there is nothing that the rail would have to do.
    case 'reversing':
    case 'reversed':
    case 'contested':
    case 'withdrawn':
      return RailDecision.DUPLICATE;
    case 'refused':
      return decisionOf(state.reason);
    case 'suspended':
    case 'crediting':
    case 'credited':
    case 'refunding':
    case 'refunded':
      return RailDecision.SUSPENDED;
    case 'received':
    case 'accepted':
    case 'suspending':
      throw new Error(`payment ${payment.order.id} is still ${state.status}`);
    default:
      return state satisfies never;
  }
}

const OUTCOMES: Record<ReversalOutcome, RailDecision> = {
  accepted: RailDecision.ACCEPTED,
  known: RailDecision.DUPLICATE,
  unknown: RailDecision.UNKNOWN,
  inconsistent: RailDecision.INCONSISTENT,
};

/** The answer to a rail that has reported a reversal. */
export function answerToReversal(outcome: ReversalOutcome): RailDecision {
  return OUTCOMES[outcome];
}
