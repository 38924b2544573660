import type { CallOptions, NotFoundOutcome, UnknownOutcome } from '../rail-call.ts';

/**
 * The port to an acquirer, or a switch, over which codes of other merchants are paid. Only an explicit final answer is
 * `succeeded`, `failed`, `canceled` or `returned`; everything else is `unknown`, and the caller inquires. Nothing here throws for
 * what the acquirer or the network does.
 */
export type QrisPaymentRail = {
  /** Makes a code known under the reference that it is paid by. Moves nothing; may be repeated with the same content. */
  decode(scan: QrisScan, options: CallOptions): Promise<QrisDecoding>;
  /**
   * Pays a code that was decoded under the same reference. `firstSend`: this request has never been sent before. Only then is a
   * refusal final: of an earlier send it would say nothing.
   */
  pay(request: QrisPaymentRequest, options: CallOptions & { firstSend: boolean }): Promise<QrisPaymentResult>;
  /** How a payment ended. */
  query(request: QrisPaymentRequest, options: CallOptions): Promise<QrisPaymentResult | QrisReturned | NotFoundOutcome>;
  /** Asks that a payment be made no more (77). Anything but an explicit yes says nothing of the payment: the caller inquires. */
  cancel(request: QrisPaymentRequest, options: CallOptions): Promise<QrisCancellation>;
  /** Gives all of a payment back that was made (78). `firstSend` as in `pay`. */
  refund(request: QrisRefundRequest, options: CallOptions & { firstSend: boolean }): Promise<QrisRefundResult>;
  close(): Promise<void>;
};

export type QrisScan = {
  /** Unique for ever, and made anew alike for the same order. */
  partnerReference: string;
  payload: string;
  /** Sen, tip included; undefined where it is not known yet. */
  amountSen: bigint | undefined;
};

/**
 * Why a code can't be paid. `merchant`: the acquirer knows no such merchant; `used`: it may have another code under the reference;
 * `other`: it does not say what is wrong with it.
 */
export type QrisProblem = 'expired' | 'paid' | 'invalid' | 'amount' | 'merchant' | 'used' | 'other';

export type QrisDecoding =
  | { outcome: 'found' }
  | { outcome: 'refused'; problem: QrisProblem; code: string; reason: string }
  | UnknownOutcome;

/**
 * The exact request, as JSON-serializable values, so that it is persisted before the call and the same whenever it is sent again.
 */
export type QrisPaymentRequest = {
  /** Unique for ever, and made anew alike for the same order: the code was decoded under it. */
  partnerReference: string;
  /** Gerbang's transaction id, which the acquirer keeps beside the payment; requests of earlier versions have none. */
  transactionId?: string | undefined;
  /** Numeric, at most 36 digits, unique per partner and day (SNAP's X-EXTERNAL-ID). */
  externalId: string;
  /** Sen as decimal digits, tip included. */
  amountSen: string;
  /** Sen as decimal digits. */
  tipSen: string;
  /** The merchant's own reference, which the acquirer keeps beside the payment. */
  merchantReference: string;
  /** Real time, Unix milliseconds: the day within which the acquirer tells repetitions apart. */
  createdAtMs: number;
};

/** `rrn`: the retrieval reference number, by which issuer and acquirer find the payment. */
export type QrisPaymentResult =
  | { outcome: 'succeeded'; railReference: string; rrn: string }
  | { outcome: 'pending' }
  /** An explicit, final no: nothing has moved nor will it. `code` is the acquirer's, `reason` its words. */
  | { outcome: 'failed'; code: string; reason: string; cause: 'merchant_unknown' | 'merchant_limit' | 'other' }
  | { outcome: 'canceled' }
  | UnknownOutcome;

/** It was paid, and the money came back. `railReference` may be empty. */
export type QrisReturned = { outcome: 'returned'; railReference: string; reason: string };

export type QrisCancellation = { outcome: 'canceled' } | NotFoundOutcome | UnknownOutcome;

/** `refundReference` is unique for ever, and the same whenever the same refund is asked for. */
export type QrisRefundRequest = { payment: QrisPaymentRequest; refundReference: string };

export type QrisRefundResult =
  | { outcome: 'refunded' }
  | { outcome: 'pending' }
  /** An explicit no: nothing comes back. `code` is the acquirer's, `reason` its words. */
  | { outcome: 'refused'; code: string; reason: string }
  | UnknownOutcome;
