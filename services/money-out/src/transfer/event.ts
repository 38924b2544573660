import type {
  AcceptedFields,
  CancelReason,
  Ended,
  Failure,
  Held,
  Proposal,
  Receipt,
  Refunded,
  Released,
  Succeeded,
  TransferState,
} from './state.ts';
import { isEnded, isHeld } from './state.ts';

export type TransferEvent =
  | ({ type: 'sent'; balanceAfterSen: bigint } & AcceptedFields)
  | { type: 'waited'; reason: string; unresolvedAtMs: number | undefined; receipt: Receipt }
  | { type: 'cancel-requested'; reason: CancelReason }
  | { type: 'succeeded'; railReference: string; receipt: Receipt; processedAtMs: number }
  | { type: 'failed'; failure: Failure; processedAtMs: number }
  | { type: 'canceled'; reason: CancelReason; processedAtMs: number }
  | { type: 'refunded'; railReference: string; reason: string; processedAtMs: number }
  | { type: 'resolution-proposed'; proposal: Proposal }
  /** Corrections of a transfer that has ended. */
  /** `isAsked`: operators had asked the rail for it. */
  | { type: 'return-reported'; reason: string; isAsked: boolean }
  | { type: 'return-booked'; processedAtMs: number }
  | { type: 'refund-requested'; askedAtMs: number }
  | { type: 'refund-awaited'; reason: string }
  | { type: 'refund-refused'; reason: string }
  | { type: 'payment-reported'; railReference: string; reason: string; reportedAtMs: number }
  | { type: 'payment-approved' }
  | { type: 'payment-dismissed' }
  | { type: 'payment-refused'; reason: string }
  | { type: 'payment-booked'; balanceAfterSen: bigint; processedAtMs: number };

/** The state after an event. Events come from `decide`, so one that does not fit is a programmer's error. */
export function evolve(state: TransferState, event: TransferEvent): TransferState {
  switch (event.type) {
    case 'sent':
      return evolveSent(state, event);
    case 'waited': {
      const { reason: pendingReason, unresolvedAtMs } = event;
      const held = mustBeHeld(state, event);
      const receipt = { ...held.receipt, ...event.receipt };
      return { ...held, inquiries: held.inquiries + 1, pendingReason, unresolvedAtMs, receipt };
    }
    case 'cancel-requested': {
      const held = mustBeHeld(state, event);
      return { ...held, status: 'canceling', cancelReason: event.reason, inquiries: 0, proposal: undefined };
    }
    case 'succeeded': {
      const { balanceAfterSen, receipt, possibleDuplicateOf } = mustBeHeld(state, event);
      const { railReference, processedAtMs } = event;
      const end = succeeded({ balanceAfterSen, railReference, processedAtMs, possibleDuplicateOf });
      return { ...end, receipt: { ...receipt, ...event.receipt } };
    }
    case 'failed':
    case 'canceled':
    case 'refunded':
      return evolveReleased(mustBeHeld(state, event), event);
    case 'resolution-proposed':
      return { ...mustBeAccepted(state, event), proposal: event.proposal };
    case 'return-reported':
      return { ...mustHaveSucceeded(state, event), returned: { reason: event.reason }, refund: undefined, proposal: undefined };
    case 'refund-requested':
    case 'refund-awaited':
    case 'refund-refused':
      return evolveRefund(mustHaveSucceeded(state, event), event);
    case 'return-booked':
      return returned(mustHaveSucceeded(state, event), event.processedAtMs);
    case 'payment-reported': {
      const { railReference, reason, reportedAtMs } = event;
      const released = mustBeReleased(state, event);
      return { ...released, paid: { railReference, reason, reportedAtMs, isApproved: false } };
    }
    case 'payment-approved':
    case 'payment-dismissed':
    case 'payment-refused':
    case 'payment-booked':
      return evolvePayment(mustBeReleased(state, event), event);
    default:
      return event satisfies never;
  }
}

function evolveSent(state: TransferState, event: Extract<TransferEvent, { type: 'sent' }>): TransferState {
  if (state.status !== 'created') throw misplaced(state, event);
  return {
    status: 'sent',
    balanceAfterSen: event.balanceAfterSen,
    possibleDuplicateOf: event.possibleDuplicateOf,
    request: state.request,
    inquiries: 0,
    pendingReason: '',
    receipt: {},
    unresolvedAtMs: undefined,
    proposal: undefined,
  };
}

/** The rail has not paid, or has it back, before the ledger captured: the hold is released. */
function evolveReleased(held: Held, event: Extract<TransferEvent, { type: 'failed' | 'canceled' | 'refunded' }>): Released {
  const { possibleDuplicateOf } = held;
  const { processedAtMs } = event;
  const ended = { possibleDuplicateOf, processedAtMs, compensations: 0, proposal: undefined, paid: undefined };
  switch (event.type) {
    case 'failed':
      return { status: 'failed', failure: event.failure, ...ended };
    case 'canceled':
      return { status: 'canceled', cancelReason: event.reason, ...ended };
    case 'refunded': {
      const { railReference, reason } = event;
      return { status: 'refunded', balanceAfterSen: held.balanceAfterSen, railReference, reason, ...ended };
    }
    default:
      return event satisfies never;
  }
}

type RefundEvent = Extract<TransferEvent, { type: 'refund-requested' | 'refund-awaited' | 'refund-refused' }>;

/** What becomes of a payment that operators want back. */
function evolveRefund(state: Succeeded, event: RefundEvent): Succeeded {
  switch (event.type) {
    case 'refund-requested':
      return { ...state, refund: { askedAtMs: event.askedAtMs, attempts: 0, reason: '' }, proposal: undefined };
    case 'refund-awaited':
      if (state.refund === undefined) throw misplaced(state, event);
      return { ...state, refund: { ...state.refund, attempts: state.refund.attempts + 1, reason: event.reason } };
    case 'refund-refused':
      return { ...state, refund: undefined, proposal: undefined };
    default:
      return event satisfies never;
  }
}

type PaymentEvent = Extract<
  TransferEvent,
  { type: 'payment-approved' | 'payment-dismissed' | 'payment-refused' | 'payment-booked' }
>;

/** What becomes of a report that a released transfer was paid. */
function evolvePayment(state: Released, event: PaymentEvent): Ended {
  const { paid, compensations, possibleDuplicateOf } = state;
  if (paid === undefined) throw misplaced(state, event);
  switch (event.type) {
    case 'payment-approved':
      return { ...state, paid: { ...paid, isApproved: true } };
    case 'payment-dismissed':
      return { ...state, paid: undefined, proposal: undefined };
    case 'payment-refused':
      return { ...state, paid: { ...paid, isApproved: false, reason: event.reason }, compensations: compensations + 1 };
    case 'payment-booked': {
      const { balanceAfterSen, processedAtMs } = event;
      const { railReference } = paid;
      const end = succeeded({ balanceAfterSen, railReference, processedAtMs, possibleDuplicateOf });
      return { ...end, compensations: compensations + 1 };
    }
    default:
      return event satisfies never;
  }
}

type Success = Pick<Succeeded, 'balanceAfterSen' | 'railReference' | 'processedAtMs' | 'possibleDuplicateOf'>;

function succeeded(end: Success): Succeeded {
  const open = { returned: undefined, refund: undefined, proposal: undefined };
  return { status: 'succeeded', ...end, receipt: {}, compensations: 0, ...open };
}

function returned(state: Succeeded, processedAtMs: number): Refunded & { paid: undefined } {
  const { balanceAfterSen, railReference, compensations, possibleDuplicateOf } = state;
  const reason = state.returned?.reason ?? '';
  const corrected = { processedAtMs, compensations: compensations + 1 };
  const ended = { ...corrected, possibleDuplicateOf, proposal: undefined, paid: undefined };
  return { status: 'refunded', balanceAfterSen, railReference, reason, ...ended };
}

function mustBeHeld(state: TransferState, event: TransferEvent): Held {
  if (!isHeld(state)) throw misplaced(state, event);
  return state;
}

function mustBeAccepted(state: TransferState, event: TransferEvent): Held | Ended {
  if (state.status === 'created') throw misplaced(state, event);
  return state;
}

function mustHaveSucceeded(state: TransferState, event: TransferEvent): Succeeded {
  if (state.status !== 'succeeded') throw misplaced(state, event);
  return state;
}

function mustBeReleased(state: TransferState, event: TransferEvent): Released {
  if (!isEnded(state) || state.status === 'succeeded') throw misplaced(state, event);
  return state;
}

function misplaced(state: TransferState, event: TransferEvent): Error {
  return new Error(`a transfer that is ${state.status} cannot have the event ${event.type}`);
}
