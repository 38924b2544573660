import type { CallOptions, NotFoundOutcome, PaidOutcome, RefusedOutcome, UnknownOutcome } from './rail-call.ts';

/**
 * The port to an e-wallet, whose customers confirm a payment in its app. Nothing throws for what the wallet or the network does.
 */
export type EwalletRail = {
  /**
   * Asks the customer to pay. Sent once: after `unknown` the customer may have been asked and may pay, so it is inquired and
   * never sent again.
   */
  createPayment(request: EwalletRequest, options: CallOptions): Promise<EwalletCreation>;
  /** How a payment stands. */
  inquirePayment(payment: EwalletName, options: CallOptions): Promise<EwalletInquiry>;
  /** The customer can't confirm any more; `failed` where that has happened. */
  cancelPayment(
    payment: EwalletName,
    options: CallOptions,
  ): Promise<{ outcome: 'succeeded' } | RefusedOutcome | NotFoundOutcome | UnknownOutcome>;
  /** Gives back money that was paid. May be repeated with the same `refundReference`. */
  refundPayment(refund: EwalletRefund, options: CallOptions): Promise<EwalletRefundResult>;
  close(): Promise<void>;
};

export type EwalletName = {
  /** Unique for ever: Gerbang's transaction id. */
  partnerReference: string;
  /** The wallet's; empty while it is not known. */
  railReference: string;
  amountSen: bigint;
};

export type EwalletRequest = {
  partnerReference: string;
  /** OVO, DANA, SHOPEEPAY, LINKAJA or GOPAY. */
  channel: string;
  amountSen: bigint;
  /** Where the wallet finds the customer by it. */
  customerPhone?: string | undefined;
  /** Where the customer goes after confirming. */
  returnUrl?: string | undefined;
  /** Unix milliseconds of business time. */
  expiresAtMs: number;
};

export type EwalletRefund = EwalletName & { refundReference: string; refundSen: bigint; reason: string };

/** `redirectUrl`: the wallet's page or app, where it has one. */
export type EwalletCreation =
  | { outcome: 'pending'; railReference: string; redirectUrl: string | undefined }
  | RefusedOutcome
  | UnknownOutcome;

/** `failed`: declined, canceled or expired, and so never paid any more. */
export type EwalletInquiry = PaidOutcome | { outcome: 'pending' } | RefusedOutcome | NotFoundOutcome | UnknownOutcome;

export type EwalletRefundResult =
  | { outcome: 'succeeded'; railReference: string }
  | { outcome: 'pending' }
  | RefusedOutcome
  | NotFoundOutcome
  | UnknownOutcome;
