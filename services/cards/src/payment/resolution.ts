import { type Refusal, refuse } from '@gerbang/core';
import { isDisputed } from './dispute.ts';
import { UNRESOLVED_AFTER_MS } from './schedule.ts';
import {
  type ContestedChoice,
  type Outcome,
  type PaymentCommand,
  type PaymentEvent,
  type PaymentState,
  to,
  type Withdrawal,
} from './state.ts';

/** What the acquirer may have done with what it was asked for. None: it owes no answer. */
export function outcomesOf({ status }: PaymentState): readonly Outcome[] {
  switch (status) {
    case 'authorising':
    case 'challenging':
      return ['authorised', 'failed'];
    case 'capturing':
      return ['captured', 'failed'];
    case 'voiding':
      return ['voided', 'authorised', 'captured'];
    case 'refunding':
      return ['refunded', 'captured'];
    case 'releasing':
      return ['voided'];
    default:
      return [];
  }
}

/**
 * Why operators can not say that it stands so at the acquirer; undefined where they can. Refusals: bad_request, also where the
 * acquirer may still tell.
 */
export function decideResolution(
  state: PaymentState,
  { outcome, sinceMs }: Extract<PaymentCommand, { type: 'resolve' }>,
  nowMs: number,
): Refusal | undefined {
  const outcomes = outcomesOf(state);
  if (outcomes.length === 0) return wrong(`The acquirer owes no answer about it: it is ${state.status}`);
  if (!outcomes.includes(outcome)) return wrong(`While it is ${state.status} its outcome can be ${outcomes.join(' or ')}`);
  if (nowMs - sinceMs < UNRESOLVED_AFTER_MS) return wrong('The acquirer may still tell its outcome: it has a day');
  return undefined;
}

/** Who bears what the acquirer has taken back; the same decision again changes nothing. Refusals: bad_request. */
export function decideContested(
  state: PaymentState,
  { choice }: Extract<PaymentCommand, { type: 'decide-contested' }>,
): PaymentEvent[] | Refusal {
  if (state.status === 'contested') {
    const { authorisation, reason, withdrawal } = state;
    if (choice === 'dismiss') {
      const status = state.capture.settledAtMs === undefined ? 'captured' : 'settled';
      const capture = { ...state.capture, withdrawalAttempts: withdrawal.attempt };
      return to({ status, authorisation, capture, refused: undefined });
    }
    const { capture } = state;
    // The account has given that part already.
    if (choice === 'withdraw' && isDisputed(state))
      return wrong('A chargeback claims a part of it: write the rest off, or dismiss it');
    const next: Withdrawal = {
      ...withdrawal,
      attempt: withdrawal.attempt + 1,
      takenFrom: choice === 'withdraw' ? 'account' : 'suspense',
    };
    return to({ status: 'withdrawing', authorisation, capture, reason, withdrawal: next });
  }
  return isDecided(state, choice) ? [] : wrong(`It is not contested: it is ${state.status}`);
}

function isDecided(state: PaymentState, choice: ContestedChoice): boolean {
  if (choice === 'dismiss' || !('withdrawal' in state)) return false;
  return state.withdrawal.takenFrom === (choice === 'withdraw' ? 'account' : 'suspense');
}

function wrong(message: string): Refusal {
  return refuse('bad_request', { message });
}
