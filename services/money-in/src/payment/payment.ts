import { type Refusal, refuse } from '@gerbang/core';
import { notContested, receiveAfter, reverse, withdraw } from './reversal.ts';
import type { FeeBreakdown, PaymentCommand, PaymentEvent, PaymentState, Reason, Target } from './state.ts';

/** Decides a command. An empty list: it has been done before. Refusals: bad_request where the state does not allow it. */
export function decide(state: PaymentState, command: PaymentCommand, nowMs: number): PaymentEvent[] | Refusal {
  const { status } = state;
  switch (command.type) {
    case 'accept':
      if (status === 'received') return [{ type: 'accepted', fees: command.fees }];
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
      if (status === 'suspended') return [{ type: 'crediting', target: command.target, fees: command.fees }];
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
    case 'reverse':
      return reverse(state, command);
    case 'finish-reversal':
      if (status === 'reversing') return [{ type: 'reversed' }];
      return status === 'reversed' ? [] : wrong(status);
    case 'contest':
      if (state.status === 'reversing') return [{ type: 'contested', reversal: state.reversal, problem: command.problem }];
      return status === 'contested' ? [] : wrong(status);
    case 'withdraw':
      return withdraw(state, command.from);
    case 'dismiss':
      if (status === 'contested') return [{ type: 'dismissed' }];
      return status === 'paid' || status === 'settled' ? [] : notContested(status);
    case 'receive':
      return state.status === 'withdrawn' ? receiveAfter(state.report, command.paidAtMs) : [];
    default:
      return command satisfies never;
  }
}

/** The state after an event. Events come from `decide`, so one that does not fit is a programmer's error. */
export function evolve(state: PaymentState, event: PaymentEvent): PaymentState {
  switch (event.type) {
    case 'accepted':
      return { status: 'accepted', fees: event.fees };
    case 'refused':
    case 'suspending':
      return { status: event.type, reason: event.reason };
    case 'paid':
      return { status: 'paid', fees: feesOf(state) };
    case 'settled':
      return { status: 'settled', fees: feesOf(state), settledAtMs: event.settledAtMs };
    case 'suspended':
    case 'refunding':
    case 'refunded':
      return { status: event.type, reason: reasonOf(state) };
    case 'crediting':
      return { status: 'crediting', reason: reasonOf(state), target: event.target, fees: event.fees };
    case 'credited':
      if (state.status !== 'crediting') throw new Error(`a payment that is ${state.status} cannot have been credited`);
      return { ...state, status: 'credited' };
    case 'reversing':
      return { ...reversible(state), status: 'reversing', reversal: event.reversal };
    case 'contested':
      return { ...reversible(state), status: 'contested', reversal: event.reversal, problem: event.problem };
    case 'reversed':
      if (state.status !== 'reversing') throw new Error(`a payment that is ${state.status} cannot have been reversed`);
      return { ...state, status: 'reversed' };
    case 'dismissed': {
      const { fees, settledAtMs } = reversible(state);
      return settledAtMs === undefined ? { status: 'paid', fees } : { status: 'settled', fees, settledAtMs };
    }
    case 'received':
      return { status: 'received' };
    case 'withdrawn':
      return { status: 'withdrawn', report: event.report };
    default:
      return event satisfies never;
  }
}

/** The fees of a payment that has some. */
export function feesOf(state: PaymentState): FeeBreakdown {
  if (!('fees' in state)) throw new Error(`a payment that is ${state.status} has no fees`);
  return state.fees;
}

/** What stays known of a payment while it is reversed. */
function reversible(state: PaymentState): { fees: FeeBreakdown; settledAtMs: number | undefined } {
  const settledAtMs = 'settledAtMs' in state ? state.settledAtMs : undefined;
  return { fees: feesOf(state), settledAtMs };
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
