import type { Otp } from '../otp/otp.ts';

/**
 * A customer's bank account on its way: awaiting-consent → awaiting-otp → connecting → active → unbound; any of the first three
 * may end as failed or, before it is connected, expired. Secrets are sealed (../seal.ts).
 */
export type BindingState =
  | { status: 'awaiting-consent' }
  | { status: 'awaiting-otp'; authCode: string; otp: Otp; lastOtp: 'wrong' | 'expired' | undefined }
  /** The customer is done; the bank is yet to give what charges need. */
  | { status: 'connecting'; authCode: string; link: Link | undefined; tokens: Tokens | undefined; tries: number }
  | ActiveState
  /** `leftover`: the bank has bound the account all the same, and has to be told. */
  | { status: 'failed'; reason: FailedReason; leftover: Leftover | undefined }
  | { status: 'expired' }
  | { status: 'unbound'; by: UnboundBy; account: BankAccount; boundAtMs: number; unboundAtMs: number };

export type ActiveState = {
  status: 'active';
  link: Link;
  tokens: Tokens;
  account: BankAccount;
  boundAtMs: number;
  unbinding: Unbinding | undefined;
  /** Refreshes of the tokens, and questions about them, that the bank has not answered. */
  tries: number;
};

/** What the bank knows the binding by. */
export type Link = { accountToken: string; linkId: string };
/** The customer's tokens; they end at a moment of business time. */
export type Tokens = { accessToken: string; refreshToken: string; issuedAtMs: number; expiresAtMs: number };
export type BankAccount = { number: string; name: string };
export type Leftover = { link: Link; tokens: Tokens | undefined; tries: number };

/**
 * A merchant wants to end it. `otp`: the customer has to confirm, by the hand-over with this nonce. `confirmed`: the bank is asked
 * to.
 */
export type Unbinding = { stage: 'otp'; nonce: string; otp: Otp } | { stage: 'confirmed'; tries: number };

export type FailedReason = 'declined' | 'bank_refused' | 'otp_failed' | 'already_bound';
export type UnboundBy = 'merchant' | 'bank' | 'token_refused';

/** What a binding can fail from. */
export type UnderWay = 'awaiting-consent' | 'awaiting-otp' | 'connecting';

export type BindingCommand =
  | { type: 'consent'; authCode: string }
  | { type: 'decline' }
  | { type: 'expire' }
  /** Another OTP is to be sent. */
  | { type: 'count-otp'; because: 'expired' | undefined }
  | { type: 'otp-sent'; chargeToken: string }
  /** Before the bank is asked about an OTP. */
  | { type: 'count-attempt' }
  | { type: 'otp-wrong' }
  | { type: 'otp-accepted' }
  /** `at`: where the binding was when the bank was asked. What is said of an earlier step does not end a later one. */
  | { type: 'fail'; at: UnderWay; reason: FailedReason }
  | { type: 'link'; link: Link }
  | { type: 'keep-tokens'; tokens: Tokens }
  | { type: 'activate'; account: BankAccount }
  /** The bank has not answered; it is asked again later. */
  | { type: 'wait' }
  /** The leftover is gone. */
  | { type: 'clean-up' }
  | { type: 'begin-unbinding'; nonce: string }
  /** Without an OTP. */
  | { type: 'unbind-now' }
  /** `nonce`: of the hand-over whose OTP will not be right any more; undefined: the bank does not end a binding that is confirmed. */
  | { type: 'stop-unbinding'; nonce: string | undefined }
  | { type: 'unbound'; by: UnboundBy }
  /** The bank does not take the access token. */
  | { type: 'want-refresh' };

export type BindingEvent = { type: 'changed'; state: BindingState; published: Published | undefined; dueNow?: true };

/** What a merchant hears of. */
export type Published = 'binding.succeeded' | 'binding.failed' | 'binding.expired' | 'unbinding.succeeded' | 'unbinding.failed';
