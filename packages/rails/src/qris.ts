import type { QrisTip } from '@gerbang/core';
import type { CallOptions, NotFoundOutcome, PaidOutcome, RefusedOutcome, UnknownOutcome } from './rail-call.ts';

/** The port to a QRIS acquirer, whose codes merchants show. Nothing throws for what the acquirer or the network does. */
export type QrisRail = {
  /** A code for one payment. May be repeated: the same reference and content make the same code. */
  generate(request: QrisRequest, options: CallOptions): Promise<QrisGeneration>;
  /** How a code stands. */
  query(code: QrisName, options: CallOptions): Promise<QrisInquiry>;
  /** From then on the code can't be paid; `failed` where it has been. */
  cancel(
    code: QrisName,
    options: CallOptions,
  ): Promise<{ outcome: 'succeeded' } | RefusedOutcome | NotFoundOutcome | UnknownOutcome>;
  close(): Promise<void>;
};

export type QrisName = {
  /** Unique for ever: Gerbang's reference. */
  partnerReference: string;
  /** The acquirer's; empty while it is not known. */
  railReference: string;
};

export type QrisRequest = {
  /** Unique for ever: Gerbang's reference, at most 64 characters. */
  partnerReference: string;
  /** Sen, without tip. */
  amountSen: bigint;
  tip?: QrisTip | undefined;
  /** As the merchant writes them; the acquirer makes of them what fits into a code. */
  merchantName: string;
  merchantCity: string;
  /** Unix milliseconds of business time. */
  expiresAtMs: number;
};

export type QrisGeneration = { outcome: 'succeeded'; railReference: string; payload: string } | RefusedOutcome | UnknownOutcome;

/** `failed`: expired or canceled, and so never paid any more. */
export type QrisInquiry = PaidOutcome | { outcome: 'pending' } | RefusedOutcome | NotFoundOutcome | UnknownOutcome;
