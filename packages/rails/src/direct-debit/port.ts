import type { CallOptions, NotFoundOutcome, RefusedOutcome, UnknownOutcome } from '../rail-call.ts';

/**
 * The port to a bank whose customers bind their accounts, and are charged from then on. Only an explicit answer is final;
 * everything else is `unknown`, and the caller inquires or repeats. Nothing here throws for what the bank or the network does.
 */
export type DirectDebitRail = {
  /** The customer agrees that the account is bound (SNAP 10). Moves nothing; the code is good for one binding. */
  authorize(request: BindRequest, options: CallOptions): Promise<AuthorizeResult>;
  /** Has the bank send an OTP (81). */
  sendOtp(request: OtpRequest, options: CallOptions): Promise<SendOtpResult>;
  /** What the customer has entered (04). Every call counts as an attempt at the bank. */
  verifyOtp(request: OtpRequest, given: { chargeToken: string; otp: string }, options: CallOptions): Promise<VerifyOtpResult>;
  /** Binds the account (07). The same request again is answered the same. */
  bind(request: BindRequest, authCode: string, options: CallOptions): Promise<BindResult>;
  /** The customer's first tokens, by the code, or the next ones, by the refresh token (74). */
  issueTokens(proof: { authCode: string } | { refreshToken: string }, options: CallOptions): Promise<TokenResult>;
  /** The bound account (08): also whether the bank still knows the binding and the token. */
  findAccount(customer: Customer, partnerReference: string, options: CallOptions): Promise<AccountResult>;
  /**
   * Charges the account (54). `firstSend`: this request has never been sent before. Only then is a refusal final: of an earlier
   * send it would say nothing.
   */
  charge(
    request: ChargeRequest,
    by: { customer: Customer; chargeToken: string | undefined },
    options: CallOptions & { firstSend: boolean },
  ): Promise<ChargeResult>;
  /** How a charge stands (55). */
  inquireCharge(request: ChargeRequest, options: CallOptions): Promise<ChargeState>;
  /** Gives a charge back, or a part of it (58). `firstSend` as with charges. */
  refund(request: RefundRequest, options: CallOptions & { firstSend: boolean }): Promise<RefundResult>;
  /** How a refund stands, by the history of its charge (55). */
  inquireRefund(request: RefundRequest, options: CallOptions): Promise<RefundResult | NotFoundOutcome>;
  /** Ends the binding (09). */
  unbind(request: UnbindRequest, customer: Customer, options: CallOptions): Promise<UnbindResult>;
  close(): Promise<void>;
};

/** The customer's side of a binding, as the bank has given it. All of it is secret. */
export type Customer = { accessToken: string; accountToken: string };

export type BindRequest = {
  /** Unique for ever. */
  partnerReference: string;
  bankCode: string;
  customerId: string;
  phone: string;
  /** Unguessable, for this authorization only; the bank gives it back. */
  state: string;
  /** "id" or "en". */
  language: string;
  redirectUrl: string;
};

/** What an OTP is for: `bind` and `unbind` are of a binding, `charge` of a charge. */
export type OtpRequest = {
  purpose: 'bind' | 'charge' | 'unbind';
  /** Of the binding or the charge. */
  partnerReference: string;
  bankCode: string;
  phone: string;
  /** Where the account is bound already. */
  accountToken: string | undefined;
};

export type AuthorizeResult = { outcome: 'authorized'; authCode: string } | RefusedOutcome | UnknownOutcome;

/** `blocked`: the bank takes no OTP of this customer any more. */
export type SendOtpResult = { outcome: 'sent'; chargeToken: string } | OtpBlocked | RefusedOutcome | UnknownOutcome;

export type VerifyOtpResult = { outcome: 'accepted' | 'wrong' | 'expired' } | OtpBlocked | RefusedOutcome | UnknownOutcome;

export type OtpBlocked = { outcome: 'blocked'; code: string; reason: string };

/** `accountToken` stands for the account in every charge; `linkId` is what the bank calls the binding, and may be empty. */
export type BindResult =
  | { outcome: 'bound'; accountToken: string; linkId: string }
  | { outcome: 'pending' }
  | RefusedOutcome
  | UnknownOutcome;

/** `expiresAtMs`: Unix milliseconds of real time. */
export type TokenResult =
  | { outcome: 'issued'; accessToken: string; refreshToken: string; expiresAtMs: number }
  | RefusedOutcome
  | UnknownOutcome;

/** `gone`: the bank does not know the binding, or does not take its token any more. */
export type AccountResult =
  | { outcome: 'found'; accountNumber: string; accountName: string }
  | { outcome: 'gone'; code: string; reason: string }
  | UnknownOutcome;

/** The exact request, as JSON-serializable values without a secret, so that it is persisted before the call. */
export type ChargeRequest = {
  /** Unique for ever. */
  partnerReference: string;
  /** Numeric, at most 36 digits, unique per partner and day (SNAP's X-EXTERNAL-ID). */
  externalId: string;
  /** Sen as decimal digits. */
  amountSen: string;
  /** The merchant's own reference, which the bank keeps beside the charge. */
  merchantReference: string;
  /** The binding, as the device that asks. */
  deviceId: string;
  /** Real time, Unix milliseconds: the day within which the bank tells repetitions apart. */
  createdAtMs: number;
};

/**
 * `accepted`: the bank has taken it, and tells the outcome when it is asked. `otp`: nothing was charged, the customer has to give
 * an OTP first. `unauthorized`: nothing was charged, since the customer's token is not taken.
 */
export type ChargeResult =
  | { outcome: 'accepted' }
  | { outcome: 'pending' }
  | { outcome: 'otp' }
  | { outcome: 'unauthorized'; code: string; reason: string }
  | RefusedOutcome
  | UnknownOutcome;

export type ChargeState =
  | { outcome: 'succeeded'; railReference: string; paidAtMs: number | undefined }
  | { outcome: 'pending' }
  | RefusedOutcome
  | NotFoundOutcome
  | UnknownOutcome;

export type RefundRequest = {
  /** Of the charge. */
  originalReference: string;
  originalExternalId: string;
  /** Unique for ever. */
  refundReference: string;
  externalId: string;
  /** Sen as decimal digits. */
  amountSen: string;
  /** Real time, Unix milliseconds. */
  createdAtMs: number;
};

export type RefundResult =
  | { outcome: 'succeeded'; railReference: string }
  | { outcome: 'pending' }
  | RefusedOutcome
  | UnknownOutcome;

export type UnbindRequest = { partnerReference: string; linkId: string };

/** `gone`: the bank knew of no such binding any more. */
export type UnbindResult = { outcome: 'unbound' | 'gone' } | RefusedOutcome | UnknownOutcome;
