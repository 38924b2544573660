import { type Refusal, refuse } from '@gerbang/core';
import { firstOtp, nextOtp } from '../otp/otp.ts';
import { decideRefund, isMoving } from './refund.ts';
import { propose, whyNotApprove } from './resolution.ts';
import {
  type ChargeCommand,
  type ChargeEvent,
  type ChargeState,
  isCharged,
  outOfPendingSen,
  type PublishedCharge,
} from './state.ts';

/** So often the bank may refuse the customer's token before the charge fails. */
const TAKEN_BACK_MAX = 5;

/**
 * Decides a command. An empty list: it has been done before, or what it is about is over. Refusals: those of refunds (refund.ts)
 * and of operators' decisions (resolution.ts), transaction_failed.
 */
export function decideCharge(state: ChargeState, command: ChargeCommand, nowMs: number): ChargeEvent[] | Refusal {
  switch (command.type) {
    case 'ask-otp':
      // Also of one that was sent: the bank has refused to charge without an OTP.
      if (state.status === 'created' || (state.status === 'sending' && state.chargeToken === undefined))
        return to({ status: 'awaiting-otp', otp: firstOtp(nowMs) });
      return [];
    case 'resend-otp':
      if (state.status !== 'awaiting-otp') return [];
      if (state.otp.sendsLeft === 0) return expire(nowMs);
      return to({ ...state, otp: nextOtp(state.otp, nowMs) });
    case 'otp-sent':
      if (state.status !== 'awaiting-otp') return [];
      return to({ ...state, otp: { ...state.otp, chargeToken: command.chargeToken } });
    case 'count-attempt':
      if (state.status !== 'awaiting-otp') return [];
      if (state.otp.attemptsLeft === 0) return fail(OTP_FAILED, nowMs);
      return to({ ...state, otp: { ...state.otp, attemptsLeft: state.otp.attemptsLeft - 1 } });
    case 'otp-wrong':
      return state.status === 'awaiting-otp' && state.otp.attemptsLeft === 0 ? fail(OTP_FAILED, nowMs) : [];
    case 'otp-accepted':
      if (state.status !== 'awaiting-otp' || state.otp.chargeToken === undefined) return [];
      return to({
        status: 'sending',
        chargeToken: state.otp.chargeToken,
        sends: 0,
        inquiries: 0,
        waitingFor: '',
        proposal: undefined,
      });
    case 'expire':
      return state.status === 'awaiting-otp' ? expire(nowMs) : [];
    case 'send':
    case 'take-back':
    case 'wait':
    case 'fail':
    case 'charged':
      return decideSending(state, command, nowMs);
    case 'pay':
      return state.status === 'crediting' ? to({ ...state, status: 'paid' }, { event: 'charge.succeeded' }) : [];
    case 'begin-settling': {
      // While the ledger moves a refund's money in or out of pending it is not certain what there is to settle.
      if (state.status !== 'paid' || state.refunds.some(isMoving)) return [];
      return to({ ...state, status: 'settling', settleSen: state.fees.netSen - outOfPendingSen(state) });
    }
    case 'settle': {
      if (state.status !== 'settling') return [];
      const { settleSen, ...charged } = state;
      return to({ ...charged, status: 'settled', settledAtMs: command.atMs });
    }
    case 'refund':
    case 'drop-refund':
    case 'send-refund':
    case 'refund-wait':
    case 'refund-succeeded':
    case 'refund-refused':
    case 'refund-returned':
      return decideRefund(state, command, nowMs);
    case 'propose':
      return propose(state, command, nowMs);
    case 'approve':
      return whyNotApprove(state, command, nowMs) ?? decideCharge(state, command.decided, nowMs);
    default:
      return command satisfies never;
  }
}

type SendingCommand = Extract<ChargeCommand, { type: 'send' | 'take-back' | 'wait' | 'fail' | 'charged' }>;

/** What goes to the bank, and what it says. */
function decideSending(state: ChargeState, command: SendingCommand, nowMs: number): ChargeEvent[] | Refusal {
  const sends = state.status === 'sending' ? state.sends : 0;
  switch (command.type) {
    case 'send': {
      if ((state.status !== 'created' && state.status !== 'sending') || sends !== command.after) return [];
      const before = state.status === 'sending' ? state : { chargeToken: undefined, inquiries: 0, proposal: undefined };
      const { chargeToken, inquiries, proposal } = before;
      return to({ status: 'sending', chargeToken, sends: sends + 1, inquiries, waitingFor: '', proposal });
    }
    case 'take-back': {
      if (state.status !== 'sending' || sends !== command.send) return [];
      const inquiries = state.inquiries + 1;
      if (inquiries > TAKEN_BACK_MAX) return fail({ code: '', reason: command.waitingFor }, nowMs);
      return to({ ...state, sends: sends - 1, inquiries, waitingFor: command.waitingFor });
    }
    case 'wait':
      if (state.status !== 'sending') return [];
      return to({ ...state, inquiries: state.inquiries + 1, waitingFor: command.waitingFor });
    case 'fail': {
      const { code, reason, send } = command;
      if (isCharged(state) || state.status === 'failed' || state.status === 'expired') return [];
      // A refusal of one send says nothing of another one.
      if (send !== undefined && send !== sends) return [];
      return fail({ code, reason }, nowMs);
    }
    case 'charged': {
      if (state.status !== 'sending') return [];
      const { railReference, chargedAtMs, fees } = command;
      return to({ status: 'crediting', railReference, chargedAtMs, fees, refunds: [] });
    }
    default:
      return command satisfies never;
  }
}

const OTP_FAILED = { code: 'OTP', reason: 'The customer has entered a wrong OTP too often' };

function fail({ code, reason }: { code: string; reason: string }, nowMs: number): ChargeEvent[] {
  return to({ status: 'failed', code, reason, endedAtMs: nowMs }, { event: 'charge.failed' });
}

function expire(nowMs: number): ChargeEvent[] {
  return to({ status: 'expired', endedAtMs: nowMs }, { event: 'charge.failed' });
}

function to(state: ChargeState, published?: PublishedCharge): ChargeEvent[] {
  return [{ type: 'changed', state, published }];
}

/** The bank and what was written of it do not agree: nothing is edited, an operator has to look. */
export function contradicts(state: ChargeState): boolean {
  return state.status === 'failed' || state.status === 'expired';
}

/** What is refused where a charge of that kind is not possible any more. */
export function overRefusal(state: ChargeState): Refusal {
  return refuse('transaction_failed', { message: `The charge is over: it is ${state.status}` });
}
