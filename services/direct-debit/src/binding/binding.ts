import { type Refusal, refuse } from '@gerbang/core';
import { firstOtp, nextOtp, type Otp } from '../otp/otp.ts';
import type { ActiveState, BindingCommand, BindingEvent, BindingState, Leftover, Published } from './state.ts';

type Decision = BindingEvent[] | Refusal;

/**
 * Decides a command. An empty list: it has been done before, or what it is about is over. Refusals: transaction_failed where the
 * binding does not allow it, which is then said.
 */
export function decideBinding(state: BindingState, command: BindingCommand, nowMs: number): Decision {
  switch (command.type) {
    case 'consent':
      if (state.status !== 'awaiting-consent') return [];
      return to({ status: 'awaiting-otp', authCode: command.authCode, otp: firstOtp(nowMs), lastOtp: undefined });
    case 'decline':
      return isOpen(state) ? fail(state, 'declined') : [];
    case 'expire':
      return isOpen(state) ? to({ status: 'expired' }, 'binding.expired') : [];
    case 'count-otp':
    case 'otp-sent':
    case 'count-attempt':
    case 'otp-wrong':
    case 'otp-accepted':
      return state.status === 'active' ? decideUnbindOtp(state, command, nowMs) : decideBindOtp(state, command, nowMs);
    case 'fail':
      return state.status === command.at ? fail(state, command.reason) : [];
    case 'link':
      return state.status === 'connecting' && state.link === undefined ? to({ ...state, link: command.link, tries: 0 }) : [];
    case 'keep-tokens':
      if (state.status !== 'connecting' && state.status !== 'active') return [];
      return to({ ...state, tokens: command.tokens, tries: 0 });
    case 'activate': {
      if (state.status !== 'connecting' || state.link === undefined || state.tokens === undefined) return [];
      const { link, tokens } = state;
      const { account } = command;
      const active = { status: 'active' as const, link, tokens, account, boundAtMs: nowMs, unbinding: undefined, tries: 0 };
      return to(active, 'binding.succeeded');
    }
    case 'wait':
      return wait(state);
    case 'clean-up':
      return state.status === 'failed' && state.leftover !== undefined ? to({ ...state, leftover: undefined }) : [];
    case 'begin-unbinding': {
      if (state.status !== 'active') return notActive();
      if (state.unbinding?.stage === 'confirmed') return [];
      return to({ ...state, unbinding: { stage: 'otp', nonce: command.nonce, otp: firstOtp(nowMs) } });
    }
    case 'unbind-now':
      if (state.status !== 'active') return notActive();
      return state.unbinding?.stage === 'confirmed' ? [] : to({ ...state, unbinding: { stage: 'confirmed', tries: 0 } });
    case 'stop-unbinding':
      if (state.status !== 'active' || state.unbinding === undefined) return [];
      if (command.nonce !== (state.unbinding.stage === 'otp' ? state.unbinding.nonce : undefined)) return [];
      return to({ ...state, unbinding: undefined }, 'unbinding.failed');
    case 'unbound': {
      if (state.status !== 'active') return [];
      const { account, boundAtMs } = state;
      return to({ status: 'unbound', by: command.by, account, boundAtMs, unboundAtMs: nowMs }, 'unbinding.succeeded');
    }
    case 'want-refresh':
      return state.status === 'active' ? [{ type: 'changed', state, published: undefined, dueNow: true }] : [];
    default:
      return command satisfies never;
  }
}

type OtpCommand = Extract<BindingCommand, { type: 'count-otp' | 'otp-sent' | 'count-attempt' | 'otp-wrong' | 'otp-accepted' }>;

/** The OTP on the page, by which the account is bound. */
function decideBindOtp(state: BindingState, command: OtpCommand, nowMs: number): Decision {
  if (state.status !== 'awaiting-otp') return [];
  const { otp } = state;
  switch (command.type) {
    case 'count-otp':
      if (otp.sendsLeft === 0) return command.because === 'expired' ? fail(state, 'otp_failed') : [];
      return to({ ...state, otp: nextOtp(otp, nowMs), lastOtp: command.because });
    case 'otp-sent':
      return to({ ...state, otp: { ...otp, chargeToken: command.chargeToken } });
    case 'count-attempt':
      return otp.attemptsLeft === 0
        ? fail(state, 'otp_failed')
        : to({ ...state, otp: { ...otp, attemptsLeft: otp.attemptsLeft - 1 }, lastOtp: undefined });
    case 'otp-wrong':
      return otp.attemptsLeft === 0 ? fail(state, 'otp_failed') : to({ ...state, lastOtp: 'wrong' });
    case 'otp-accepted': {
      const { authCode } = state;
      return to({ status: 'connecting', authCode, link: undefined, tokens: undefined, tries: 0 });
    }
    default:
      return command satisfies never;
  }
}

/** The OTP by which a customer confirms that the binding ends. */
function decideUnbindOtp(state: ActiveState, command: OtpCommand, nowMs: number): Decision {
  const { unbinding } = state;
  if (unbinding?.stage !== 'otp') return [];
  const { otp } = unbinding;
  const withOtp = (next: Otp) => to({ ...state, unbinding: { ...unbinding, otp: next } });
  switch (command.type) {
    case 'count-otp':
      return otp.sendsLeft === 0 ? to({ ...state, unbinding: undefined }, 'unbinding.failed') : withOtp(nextOtp(otp, nowMs));
    case 'otp-sent':
      return withOtp({ ...otp, chargeToken: command.chargeToken });
    case 'count-attempt':
      return otp.attemptsLeft === 0 ? [] : withOtp({ ...otp, attemptsLeft: otp.attemptsLeft - 1 });
    case 'otp-wrong':
      return otp.attemptsLeft === 0 ? to({ ...state, unbinding: undefined }, 'unbinding.failed') : [];
    case 'otp-accepted':
      return to({ ...state, unbinding: { stage: 'confirmed', tries: 0 } });
    default:
      return command satisfies never;
  }
}

function wait(state: BindingState): BindingEvent[] {
  switch (state.status) {
    case 'connecting':
      return to({ ...state, tries: state.tries + 1 });
    case 'active': {
      const { unbinding } = state;
      if (unbinding?.stage === 'confirmed') return to({ ...state, unbinding: { ...unbinding, tries: unbinding.tries + 1 } });
      return to({ ...state, tries: state.tries + 1 });
    }
    case 'failed':
      return state.leftover === undefined
        ? []
        : to({ ...state, leftover: { ...state.leftover, tries: state.leftover.tries + 1 } });
    case 'awaiting-consent':
    case 'awaiting-otp':
    case 'expired':
    case 'unbound':
      return [];
    default:
      return state satisfies never;
  }
}

/** What the bank has bound already is told to it again (see `Leftover`). */
function fail(state: BindingState, reason: Extract<BindingState, { status: 'failed' }>['reason']): BindingEvent[] {
  const leftover: Leftover | undefined =
    state.status === 'connecting' && state.link !== undefined ? { link: state.link, tokens: state.tokens, tries: 0 } : undefined;
  return to({ status: 'failed', reason, leftover }, 'binding.failed');
}

/** The customer has something to do. */
function isOpen({ status }: BindingState): boolean {
  return status === 'awaiting-consent' || status === 'awaiting-otp';
}

function notActive(): Refusal {
  return refuse('transaction_failed', { message: 'The binding is not active' });
}

function to(state: BindingState, published?: Published): BindingEvent[] {
  return [{ type: 'changed', state, published }];
}
