import { type Refusal, refuse } from '@gerbang/core';
import type { Misfit } from '../payable/payable.ts';

/**
 * A payment that a rail has told of, as a pure decider. One that fits: received → accepted → paid → settled. One that does not: refused where the rail has
 * only asked; else suspending → suspended, and there an operator decides: crediting → credited, or refunding → refunded. What an operator credits goes on as
 * a payment of its own.
 */
export type PaymentState =
  | { status: 'received' }
  /** It has taken a use of its payable, and its figures stand; the ledger is yet to credit it. */
  | { status: 'accepted'; figures: Figures }
  | { status: 'paid'; figures: Figures }
  | { status: 'settled'; figures: Figures; settledAtMs: number }
  | { status: 'refused'; reason: Reason }
  /** The ledger is yet to take it into suspense. */
  | { status: 'suspending'; reason: Reason }
  | { status: 'suspended'; reason: Reason }
  | { status: 'crediting' | 'credited'; reason: Reason; target: Target; figures: Figures }
  | { status: 'refunding' | 'refunded'; reason: Reason };

/** Why money fits nothing. */
export type Reason = Misfit | 'unknown';

/** The figures of a payment, sen; fixed when it is accepted (contract §5). amount = fee + net, fee = vendor fee + our margin. */
export type Figures = {
  amountSen: bigint;
  feeSen: bigint;
  netSen: bigint;
  vendorFeeSen: bigint;
  ourMarginSen: bigint;
  basisPoints: number;
  settleAtMs: number;
};

/** Whose account an operator credits. */
export type Target = { merchantId: string; accountId: string; partition: string };

export type PaymentCommand =
  /** It fits, and has a use of its payable. */
  | { type: 'accept'; figures: Figures }
  /** It fits nothing. `taken`: the rail has the money already. */
  | { type: 'reject'; reason: Reason; taken: boolean }
  /** The ledger has credited it. */
  | { type: 'pay' }
  /** The ledger has it in suspense. */
  | { type: 'suspend' }
  /** The ledger has settled it. */
  | { type: 'settle' }
  | { type: 'credit'; target: Target; figures: Figures }
  | { type: 'finish-credit' }
  | { type: 'refund' }
  | { type: 'finish-refund' };

export type PaymentEvent =
  | { type: 'accepted'; figures: Figures }
  | { type: 'refused' | 'suspending'; reason: Reason }
  | { type: 'paid' | 'suspended' | 'credited' | 'refunding' | 'refunded' }
  | { type: 'settled'; settledAtMs: number }
  | { type: 'crediting'; target: Target; figures: Figures };

/** Decides a command. An empty list: it has been done before. Refusals: bad_request where the state does not allow it. */
export function decide(state: PaymentState, command: PaymentCommand, nowMs: number): PaymentEvent[] | Refusal {
  const { status } = state;
  switch (command.type) {
    case 'accept':
      if (status === 'received') return [{ type: 'accepted', figures: command.figures }];
      return isGood(status) ? [] : wrong(status);
    case 'reject':
      if (status === 'received') return [{ type: command.taken ? 'suspending' : 'refused', reason: command.reason }];
      return isGood(status) ? wrong(status) : [];
    case 'pay':
      if (status === 'accepted') return [{ type: 'paid' }];
      return status === 'paid' || status === 'settled' ? [] : wrong(status);
    case 'suspend':
      if (status === 'suspending') return [{ type: 'suspended' }];
      return isGood(status) || status === 'received' || status === 'refused' ? wrong(status) : [];
    case 'settle':
      if (status === 'paid') return [{ type: 'settled', settledAtMs: nowMs }];
      return status === 'settled' ? [] : wrong(status);
    case 'credit':
      if (status === 'suspended') return [{ type: 'crediting', target: command.target, figures: command.figures }];
      return isSameCredit(state, command.target) ? [] : decided(status);
    case 'finish-credit':
      if (status === 'crediting') return [{ type: 'credited' }];
      return status === 'credited' ? [] : wrong(status);
    case 'refund':
      if (status === 'suspended') return [{ type: 'refunding' }];
      return status === 'refunding' || status === 'refunded' ? [] : decided(status);
    case 'finish-refund':
      if (status === 'refunding') return [{ type: 'refunded' }];
      return status === 'refunded' ? [] : wrong(status);
    default:
      return command satisfies never;
  }
}

/** The state after an event. Events come from `decide`, so one that does not fit is a programmer's error. */
export function evolve(state: PaymentState, event: PaymentEvent): PaymentState {
  switch (event.type) {
    case 'accepted':
      return { status: 'accepted', figures: event.figures };
    case 'refused':
    case 'suspending':
      return { status: event.type, reason: event.reason };
    case 'paid':
      return { status: 'paid', figures: figuresOf(state) };
    case 'settled':
      return { status: 'settled', figures: figuresOf(state), settledAtMs: event.settledAtMs };
    case 'suspended':
    case 'refunding':
    case 'refunded':
      return { status: event.type, reason: reasonOf(state) };
    case 'crediting':
      return { status: 'crediting', reason: reasonOf(state), target: event.target, figures: event.figures };
    case 'credited':
      if (state.status !== 'crediting') throw new Error(`a payment that is ${state.status} cannot have been credited`);
      return { ...state, status: 'credited' };
    default:
      return event satisfies never;
  }
}

/** The figures of a payment that has some. */
export function figuresOf(state: PaymentState): Figures {
  if (!('figures' in state)) throw new Error(`a payment that is ${state.status} has no figures`);
  return state.figures;
}

function reasonOf(state: PaymentState): Reason {
  if (!('reason' in state)) throw new Error(`a payment that is ${state.status} has no reason`);
  return state.reason;
}

function isGood(status: PaymentState['status']): boolean {
  return status === 'accepted' || status === 'paid' || status === 'settled';
}

function isSameCredit(state: PaymentState, target: Target): boolean {
  if (state.status !== 'crediting' && state.status !== 'credited') return false;
  return state.target.merchantId === target.merchantId && state.target.accountId === target.accountId;
}

function wrong(status: PaymentState['status']): Refusal {
  return refuse('bad_request', { message: `A payment that is ${status} cannot do this` });
}

function decided(status: PaymentState['status']): Refusal {
  return refuse('bad_request', { message: `It is not in suspense: it is ${status}` });
}
