import { type Refusal, refuse } from '@gerbang/core';
import type { PaymentCommand, PaymentEvent, PaymentState, Report, Reversal } from './state.ts';

/**
 * What a report means, however the payment stands. Refusals: unavailable (the payment is not at rest yet: the rail comes again).
 */
export function reverse(
  state: PaymentState,
  { report, isWhole }: Extract<PaymentCommand, { type: 'reverse' }>,
): PaymentEvent[] | Refusal {
  switch (state.status) {
    case 'paid':
    case 'settled': {
      const reversal: Reversal = { ...report, takenFrom: 'account', attempt: 1 };
      if (!isWhole) return [{ type: 'contested', reversal, problem: 'other-amount' }];
      if (state.fees.netSen === 0n) return [{ type: 'contested', reversal, problem: 'nothing-credited' }];
      return [{ type: 'reversing', reversal }];
    }
    // No account has it yet: what was refunded in part is for the operator who decides on it anyway.
    case 'suspended':
      return isWhole ? [{ type: 'refunding' }] : [];
    case 'withdrawn':
      return isNewer(report, state.report) ? [{ type: 'withdrawn', report }] : [];
    case 'received':
    case 'accepted':
    case 'suspending':
    case 'crediting':
      return refuse('unavailable', { retryAfterMs: 1_000 });
    case 'refused':
    case 'credited':
    case 'refunding':
    case 'refunded':
    case 'reversing':
    case 'reversed':
    case 'contested':
      return [];
    default:
      return state satisfies never;
  }
}

/** A refund is the last word on a payment. */
function isNewer(report: Report, known: Report): boolean {
  if (known.kind === 'refunded') return false;
  return report.kind === 'refunded' || report.reportedAtMs > known.reportedAtMs;
}

/**
 * A refund of it has been reported: it came and went. After a failed attempt the customer may have tried again; a payment from
 * before it contradicts it.
 */
export function receiveAfter(report: Report, paidAtMs: number): PaymentEvent[] {
  if (report.kind === 'refunded') return [];
  return paidAtMs > report.reportedAtMs ? [{ type: 'received' }] : [{ type: 'suspending', reason: 'withdrawn' }];
}

/** An operator has decided who gives the money. */
export function withdraw(state: PaymentState, from: Reversal['takenFrom']): PaymentEvent[] | Refusal {
  if (state.status === 'contested') {
    const { reversal } = state;
    return [{ type: 'reversing', reversal: { ...reversal, takenFrom: from, attempt: reversal.attempt + 1 } }];
  }
  const isDone = (state.status === 'reversing' || state.status === 'reversed') && state.reversal.takenFrom === from;
  return isDone ? [] : notContested(state.status);
}

/** There is nothing to decide on it. */
export function notContested(status: PaymentState['status']): Refusal {
  return refuse('bad_request', { message: `Its reversal is not open: it is ${status}` });
}
