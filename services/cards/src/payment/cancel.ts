import { type Refusal, refuse } from '@gerbang/core';
import { isDisputed } from './dispute.ts';
import {
  type Captured,
  NEVER_ASKED,
  type PaymentCommand,
  type PaymentEvent,
  type PaymentState,
  type Refund,
  type RefusedCancel,
  to,
} from './state.ts';

export type CancelCommand = Extract<
  PaymentCommand,
  {
    type: 'cancel' | 'voided' | 'void-refused' | 'reserved' | 'reserve-refused' | 'refund-done' | 'refund-refused' | 'returned';
  }
>;

/**
 * The commands of a cancel: a void before the capture, a refund after it (contract §7). Refusals: transaction_failed, unavailable
 * (ledger or acquirer are at work on it just now).
 */
export function decideCancel(state: PaymentState, command: CancelCommand, nowMs: number): PaymentEvent[] | Refusal {
  switch (command.type) {
    case 'cancel':
      return begin(state, command, nowMs);
    case 'voided':
      if (state.status !== 'voiding') return [];
      return to({ status: 'cancelled', authorisation: state.authorisation, endedAtMs: nowMs }, 'cancelled');
    case 'void-refused': {
      if (state.status !== 'voiding') return [];
      const refused: RefusedCancel = { attempt: 1, because: 'acquirer', reason: command.reason };
      return to({ status: 'authorised', authorisation: state.authorisation, refused });
    }
    case 'reserved':
      return state.status === 'reserving' ? to({ ...state, status: 'refunding', asked: NEVER_ASKED }) : [];
    case 'reserve-refused': {
      if (state.status !== 'reserving') return [];
      const reason = 'The balance is too low to refund it';
      return to(backTo(state, { attempt: state.refund.attempt, because: 'short-balance', reason }));
    }
    case 'refund-done': {
      if (state.status !== 'refunding') return [];
      const { authorisation, capture, refund } = state;
      return to({ status: 'refunded', authorisation, capture, refund, endedAtMs: nowMs }, 'refunded');
    }
    case 'refund-refused': {
      if (state.status !== 'refunding') return [];
      const { authorisation, capture, refund } = state;
      return to({ status: 'returning', authorisation, capture, refund, reason: command.reason });
    }
    case 'returned': {
      if (state.status !== 'returning') return [];
      return to(backTo(state, { attempt: state.refund.attempt, because: 'acquirer', reason: state.reason }));
    }
    default:
      return command satisfies never;
  }
}

function begin(
  state: PaymentState,
  { voidMs, refunds }: Extract<CancelCommand, { type: 'cancel' }>,
  nowMs: number,
): PaymentEvent[] | Refusal {
  switch (state.status) {
    case 'authorised':
      if (nowMs >= state.authorisation.authorisedAtMs + voidMs) return no('The acquirer does not void it any more');
      return to({ status: 'voiding', authorisation: state.authorisation, asked: NEVER_ASKED });
    case 'captured':
    case 'settled': {
      if (isDisputed(state)) return no('A chargeback of the payment is open, or was lost');
      if (!refunds) return no('The acquirer gives no refunds');
      const { authorisation } = state;
      const capture = { ...state.capture, refundAttempts: state.capture.refundAttempts + 1 };
      return to({ status: 'reserving', authorisation, capture, refund: refundOf(state, capture.refundAttempts) });
    }
    case 'voiding':
    case 'cancelled':
    case 'reserving':
    case 'refunding':
    case 'refunded':
      return [];
    case 'capturing':
    case 'crediting':
    case 'settling':
    case 'returning':
    case 'withdrawing':
      return refuse('unavailable', { retryAfterMs: 1_000 });
    case 'created':
    case 'authorising':
    case 'challenging':
      return no('The payment has no outcome yet');
    case 'failed':
    case 'releasing':
      return no('The payment has failed');
    case 'withdrawn':
    case 'contested':
    case 'written-off':
      return no('The acquirer has taken the payment back');
    default:
      return state satisfies never;
  }
}

/** The gross amount: of an unsettled payment the net amount is in pending, and the fee, which is not returned, is not. */
function refundOf(state: Captured & { status: 'captured' | 'settled' }, attempt: number): Refund {
  const { feeSen, netSen } = state.authorisation.fees;
  if (state.status === 'settled') return { attempt, fromPendingSen: 0n, fromAvailableSen: feeSen + netSen };
  return { attempt, fromPendingSen: netSen, fromAvailableSen: feeSen };
}

/** As it stood before the refund. */
function backTo({ authorisation, capture }: Captured, refused: RefusedCancel): PaymentState {
  return { status: capture.settledAtMs === undefined ? 'captured' : 'settled', authorisation, capture, refused };
}

function no(message: string): Refusal {
  return refuse('transaction_failed', { message });
}
