import { type Refusal, refuse } from '@gerbang/core';

/**
 * How a purchase stands. The price of a `created` one may be held or not, and its request may have been sent or not: the ledger can
 * still refuse the hold, and then the purchase vanishes. `held` keeps the price held until the biller, or two operators, decide.
 */
export type PurchaseState = Created | Held | Succeeded | Failed;
export type Created = { status: 'created' };
export type Held = {
  status: 'held';
  /** How often the biller left the outcome open. */
  inquiries: number;
  /** Why the outcome is not known yet; empty before the first answer. */
  pendingReason: string;
  /** When it went to the operators, business time. */
  unresolvedAtMs: number | undefined;
  proposal: Proposal | undefined;
  /** Compensations that the ledger has refused. The next one has the next number in its posting key. */
  compensations: number;
};
export type Succeeded = Receipt & { status: 'succeeded'; processedAtMs: number };
export type Failed = Failure & { status: 'failed'; processedAtMs: number };

/** What the biller gives. `sealedToken` is undefined where the product has no token. */
export type Receipt = { railReference: string; serialNumber: string; sealedToken: string | undefined };
/** `code` is the biller's, `reason` its words. */
export type Failure = { code: string; reason: string };

/** What one operator proposes; another one has to agree. `operator`: the id. */
export type Proposal = { operator: string; outcome: Resolution; sealedToken: string | undefined; proposedAtMs: number };
export type Resolution = 'succeeded' | 'failed';

export type PurchaseCommand =
  /** The ledger holds the price. */
  | { type: 'hold' }
  /** The biller does not know the outcome yet; `unresolved`: operators have to look. */
  | { type: 'wait'; reason: string; unresolved: boolean }
  /** The biller, or operators, have said so, and the ledger has captured. */
  | { type: 'succeed'; receipt: Receipt }
  /** The same, and the ledger has released. */
  | { type: 'fail'; failure: Failure }
  | { type: 'propose'; proposal: Proposal }
  /** The ledger has refused a compensation that operators had decided, for want of balance. */
  | { type: 'refuse-compensation'; reason: string };

export type PurchaseEvent =
  | { type: 'held' }
  | { type: 'waited'; reason: string; unresolvedAtMs: number | undefined }
  | { type: 'succeeded'; receipt: Receipt; processedAtMs: number }
  | { type: 'failed'; failure: Failure; processedAtMs: number }
  | { type: 'resolution-proposed'; proposal: Proposal }
  | { type: 'compensation-refused'; reason: string };

/** Decides a command. An empty list: it has been done before. Refusals: bad_request where the state does not allow it. */
export function decide(state: PurchaseState, command: PurchaseCommand, nowMs: number): PurchaseEvent[] | Refusal {
  if (command.type === 'hold') return state.status === 'created' ? [{ type: 'held' }] : [];
  if (state.status === 'succeeded' || state.status === 'failed')
    return command.type === 'propose' ? cannot(`has ${state.status} already`) : [];
  if (state.status === 'created') return cannot('is not accepted yet');
  switch (command.type) {
    case 'wait': {
      const unresolvedAtMs = state.unresolvedAtMs ?? (command.unresolved ? nowMs : undefined);
      return [{ type: 'waited', reason: command.reason, unresolvedAtMs }];
    }
    case 'succeed':
      return [{ type: 'succeeded', receipt: command.receipt, processedAtMs: nowMs }];
    case 'fail':
      return [{ type: 'failed', failure: command.failure, processedAtMs: nowMs }];
    case 'propose':
      if (state.unresolvedAtMs === undefined) return cannot('may still be answered by the biller');
      return [{ type: 'resolution-proposed', proposal: command.proposal }];
    case 'refuse-compensation':
      return [{ type: 'compensation-refused', reason: command.reason }];
    default:
      return command satisfies never;
  }
}

/** The state after an event. Events come from `decide`, so one that does not fit is a programmer's error. */
export function evolve(state: PurchaseState, event: PurchaseEvent): PurchaseState {
  if (event.type === 'held') {
    if (state.status !== 'created') throw misplaced(state, event);
    return { status: 'held', inquiries: 0, pendingReason: '', unresolvedAtMs: undefined, proposal: undefined, compensations: 0 };
  }
  if (state.status !== 'held') throw misplaced(state, event);
  switch (event.type) {
    case 'waited': {
      const { reason: pendingReason, unresolvedAtMs } = event;
      return { ...state, inquiries: state.inquiries + 1, pendingReason, unresolvedAtMs };
    }
    case 'succeeded':
      return { status: 'succeeded', ...event.receipt, processedAtMs: event.processedAtMs };
    case 'failed':
      return { status: 'failed', ...event.failure, processedAtMs: event.processedAtMs };
    case 'resolution-proposed':
      return { ...state, proposal: event.proposal };
    case 'compensation-refused':
      return { ...state, pendingReason: event.reason, proposal: undefined, compensations: state.compensations + 1 };
    default:
      return event satisfies never;
  }
}

function cannot(why: string): Refusal {
  return refuse('bad_request', { message: `The purchase ${why}` });
}

function misplaced(state: PurchaseState, event: PurchaseEvent): Error {
  return new Error(`a purchase that is ${state.status} cannot have the event ${event.type}`);
}
