import { isRefusal, type Refusal } from '@gerbang/core';
import { decideCancel } from './cancel.ts';
import { decideDispute, isDisputed } from './dispute.ts';
import { decideContested, decideResolution } from './resolution.ts';
import { type Decision, NEVER_ASKED, type PaymentCommand, type PaymentEvent, type PaymentState, to } from './state.ts';

/** How a payment fails that nothing was sent of. */
export const NEVER_SENT = { code: 'NOT_SENT', reason: 'It was not submitted' };

/**
 * Decides a command. An empty list: it has been done before, or what it is about is over. Refusals: those of a cancel
 * (cancel.ts), of what operators decide (resolution.ts), and of a chargeback (dispute.ts).
 */
export function decide(state: PaymentState, command: PaymentCommand, nowMs: number): PaymentEvent[] | Refusal {
  switch (command.type) {
    case 'send':
      return state.status === 'created' ? to({ status: 'authorising', sentAtMs: nowMs, asked: NEVER_ASKED }) : [];
    case 'give-up':
      return state.status === 'created' ? fail(NEVER_SENT, nowMs) : [];
    case 'refuse':
      return state.status === 'created' ? fail({ code: 'RISK_DECLINED', reason: 'Declined by risk rules' }, nowMs) : [];
    case 'wait':
      return 'asked' in state ? to({ ...state, asked: { tries: state.asked.tries + 1, waitingFor: command.waitingFor } }) : [];
    case 'hold':
      return 'asked' in state ? to({ ...state, asked: { ...state.asked, waitingFor: command.waitingFor } }) : [];
    case 'pending':
    case 'challenge':
    case 'authorise':
    case 'fail':
      return decideAuthorisation(state, command, nowMs);
    case 'begin-capture':
    case 'captured':
    case 'credited':
    case 'begin-settling':
    case 'settled':
      return decideCapture(state, command, nowMs);
    case 'cancel':
    case 'voided':
    case 'void-refused':
    case 'reserved':
    case 'reserve-refused':
    case 'refund-done':
    case 'refund-refused':
    case 'returned':
      return decideCancel(state, command, nowMs);
    case 'lose':
    case 'late-authorised':
    case 'released':
    case 'withdraw':
    case 'withdrawn':
    case 'contest':
      return decideContradiction(state, command, nowMs);
    case 'resolve': {
      const refused = decideResolution(state, command, nowMs);
      return refused ?? byOperators(decide(state, command.then, nowMs), command.decision);
    }
    case 'watch':
      return to(state);
    case 'decide-contested':
      return byOperators(decideContested(state, command), command.decision);
    case 'dispute':
    case 'end-dispute':
      return decideDispute(state, command);
    default:
      return command satisfies never;
  }
}

/** Whether a question about an authorisation has told nothing but that it was asked. */
export function isNothingNew({ status }: PaymentState, { type }: PaymentCommand): boolean {
  if (type === 'wait' || type === 'hold') return true;
  return (type === 'pending' && status === 'authorising') || (type === 'challenge' && status === 'challenging');
}

type AuthorisationCommand = Extract<PaymentCommand, { type: 'pending' | 'challenge' | 'authorise' | 'fail' }>;

/** What the acquirer says before it has authorised. Its last word stands. */
function decideAuthorisation(state: PaymentState, command: AuthorisationCommand, nowMs: number): PaymentEvent[] {
  if (state.status !== 'authorising' && state.status !== 'challenging') return [];
  const { sentAtMs, asked } = state;
  const tries = asked.tries + 1;
  switch (command.type) {
    case 'pending':
      return to({ status: 'authorising', sentAtMs, asked: { tries, waitingFor: 'pending at the acquirer' } });
    case 'challenge': {
      const { url, fields, expiresAtMs } = state.status === 'challenging' ? state : command;
      const asking = { tries, waitingFor: 'the customer' };
      return to({ status: 'challenging', sentAtMs, url, ...(fields && { fields }), expiresAtMs, asked: asking });
    }
    case 'authorise':
      return to({ status: 'authorised', authorisation: command.authorisation, refused: undefined }, 'succeeded');
    case 'fail':
      return fail(command, nowMs);
    default:
      return command satisfies never;
  }
}

type CaptureCommand = Extract<PaymentCommand, { type: 'begin-capture' | 'captured' | 'credited' | 'begin-settling' | 'settled' }>;

/** The money's way from the authorisation to the available balance. */
function decideCapture(state: PaymentState, command: CaptureCommand, nowMs: number): PaymentEvent[] {
  switch (command.type) {
    case 'begin-capture': {
      if (state.status !== 'authorised' || nowMs < state.authorisation.captureAtMs) return [];
      return to({ status: 'capturing', authorisation: state.authorisation, asked: NEVER_ASKED });
    }
    case 'captured': {
      // Also of one that was to be voided: the acquirer has captured it before.
      if (state.status !== 'capturing' && state.status !== 'voiding') return [];
      const capture = { capturedAtMs: nowMs, settleAtMs: command.settleAtMs, settledAtMs: undefined, refundAttempts: 0 };
      return to({ status: 'crediting', authorisation: state.authorisation, capture });
    }
    case 'credited':
      return state.status === 'crediting' ? to({ ...state, status: 'captured', refused: undefined }) : [];
    case 'begin-settling': {
      if (state.status !== 'captured' || nowMs < state.capture.settleAtMs) return [];
      const { authorisation, capture } = state;
      return to({ status: 'settling', authorisation, capture });
    }
    case 'settled': {
      if (state.status !== 'settling' && state.status !== 'written-off') return [];
      if (state.capture.settledAtMs !== undefined) return [];
      const capture = { ...state.capture, settledAtMs: command.atMs };
      if (state.status === 'written-off') return to({ ...state, capture });
      return to({ status: 'settled', authorisation: state.authorisation, capture, refused: undefined });
    }
    default:
      return command satisfies never;
  }
}

type ContradictionCommand = Extract<
  PaymentCommand,
  { type: 'lose' | 'late-authorised' | 'released' | 'withdraw' | 'withdrawn' | 'contest' }
>;

/** Where the acquirer says something else than it did before. Nothing is edited: what was booked is compensated. */
function decideContradiction(state: PaymentState, command: ContradictionCommand, nowMs: number): PaymentEvent[] {
  switch (command.type) {
    case 'lose':
      return state.status === 'authorised' || state.status === 'capturing' || state.status === 'voiding'
        ? fail(command, nowMs)
        : [];
    case 'late-authorised':
      return state.status === 'failed' ? to({ ...state, status: 'releasing', asked: NEVER_ASKED }) : [];
    case 'released': {
      if (state.status !== 'releasing') return [];
      const { code, reason, endedAtMs } = state;
      return to({ status: 'failed', code, reason, endedAtMs });
    }
    case 'withdraw': {
      if (state.status !== 'captured' && state.status !== 'settled') return [];
      const { authorisation, capture } = state;
      const withdrawal = { attempt: (capture.withdrawalAttempts ?? 0) + 1, takenFrom: 'account' as const, said: command.said };
      const { reason } = command;
      // A chargeback has taken a part of it already, so that an operator decides what is left to take.
      if (isDisputed(state)) return to({ status: 'contested', authorisation, capture, reason, withdrawal, endedAtMs: nowMs });
      return to({ status: 'withdrawing', authorisation, capture, reason, withdrawal });
    }
    case 'withdrawn': {
      if (state.status !== 'withdrawing') return [];
      // The merchant keeps the money of one that is written off, and hears nothing.
      if (state.withdrawal.takenFrom === 'suspense') return to({ ...state, status: 'written-off', endedAtMs: nowMs });
      return to({ ...state, status: 'withdrawn', endedAtMs: nowMs }, 'refunded');
    }
    case 'contest':
      return state.status === 'withdrawing' ? to({ ...state, status: 'contested', endedAtMs: nowMs }) : [];
    default:
      return command satisfies never;
  }
}

function byOperators(decided: PaymentEvent[] | Refusal, decision: Decision): PaymentEvent[] | Refusal {
  return isRefusal(decided) ? decided : decided.map((event) => ({ ...event, decision }));
}

function fail({ code, reason }: { code: string; reason: string }, nowMs: number): PaymentEvent[] {
  return to({ status: 'failed', code, reason, endedAtMs: nowMs }, 'failed');
}
