import { type Refusal, refuse } from '@gerbang/core';
import {
  type ChargebackCommand,
  type ChargebackEvent,
  type ChargebackPublished,
  type ChargebackState,
  NO_RESERVE,
  type Outcome,
} from './state.ts';

/**
 * Decides a command. An empty list: it has been done before. Refusals, all of `end`: bad_request (it was ended otherwise),
 * unavailable (the money is not reserved yet).
 */
export function decide(state: ChargebackState, command: ChargebackCommand, nowMs: number): ChargebackEvent[] | Refusal {
  switch (command.type) {
    case 'wait': {
      if (state.status !== 'opened') return [];
      return to({ status: 'opened', tries: state.tries + 1, waitingFor: command.waitingFor });
    }
    case 'claim':
      return state.status === 'opened' ? to({ status: 'reserving', reserve: command.reserve }) : [];
    case 'reserved':
      return state.status === 'reserving' ? to({ ...state, status: 'reserved' }, 'card-chargeback.opened') : [];
    case 'end':
      return end(state, command.outcome);
    case 'ended':
      if (state.status === 'restoring') return to({ ...state, status: 'won', endedAtMs: nowMs }, 'card-chargeback.won');
      if (state.status === 'forfeiting') return to({ ...state, status: 'lost', endedAtMs: nowMs }, 'card-chargeback.lost');
      return [];
    default:
      return command satisfies never;
  }
}

function end(state: ChargebackState, outcome: Outcome): ChargebackEvent[] | Refusal {
  switch (state.status) {
    case 'opened':
    case 'reserving':
      return refuse('unavailable', { message: 'The money is not reserved yet', retryAfterMs: 1_000 });
    case 'unmatched':
      return to({ status: ENDING[outcome], reserve: NO_RESERVE });
    case 'reserved':
      return to({ status: ENDING[outcome], reserve: state.reserve });
    case 'restoring':
    case 'won':
      return outcome === 'won' ? [] : refuse('bad_request', { message: 'The chargeback was won' });
    case 'forfeiting':
    case 'lost':
      return outcome === 'lost' ? [] : refuse('bad_request', { message: 'The chargeback was lost' });
    default:
      return state satisfies never;
  }
}

const ENDING = { won: 'restoring', lost: 'forfeiting' } as const;

function to(state: ChargebackState, published?: ChargebackPublished): ChargebackEvent[] {
  return [{ type: 'changed', state, published }];
}
