import type { EventType } from '@gerbang/present';
import type { Transfer } from '@gerbang/proto/gerbang/money_out/v1/money_out';
import type { CallOptions, NotFoundOutcome, UnknownOutcome } from '@gerbang/rails';
import type { NewEvent } from '@gerbang/store';
import type { Quota } from './quota.ts';
import type { CancelReason, Failure, FailureCause, Receipt, TransferState } from './state.ts';

/**
 * What a merchant asked for, as far as every product has it; never changes. Amounts in sen, times in Unix milliseconds of
 * business time.
 */
export type TransferOrder = {
  transactionId: string;
  merchantId: string;
  partition: string;
  accountId: string;
  referenceNumber: string;
  /** What the rail knows it by: made of account and reference number, or the transaction id in orders of earlier versions. */
  partnerReference: string;
  /** Of the validated content, to distinguish a repetition from another order under the same reference. */
  contentHash: string;
  amountSen: bigint;
  feeSen: bigint;
  /** What it counts against; undefined where operators have set nothing for the merchant and the product. */
  quota: Quota | undefined;
  /** The merchant's words; empty where it gave none. */
  description: string;
  createdAtMs: number;
};

/**
 * What a rail has said of a transfer. `unknown` is everything but an explicit answer: the funds stay held, and the rail is asked
 * again. `canceled`: it will not be paid any more; `reason` where the rail says it. `returned`: it was paid and the money came
 * back. `receipt` is kept with the transfer.
 */
export type Outcome =
  | { outcome: 'succeeded'; railReference: string; receipt?: Receipt }
  | ({ outcome: 'failed' } & Failure)
  | { outcome: 'canceled'; reason?: CancelReason | undefined }
  | { outcome: 'returned'; railReference: string; reason: string }
  | { outcome: 'pending'; receipt?: Receipt }
  | UnknownOutcome;

/** What is published of a transfer. */
export type PublishedKind = 'accepted' | 'succeeded' | 'failed' | 'canceled' | 'refunded';

/**
 * What the saga has to know of a product. `details` are the product's own fields as they are stored: those of a new transfer, or
 * the whole document. Requests are texts that the product has made itself; the rail's failures are outcomes and never thrown.
 */
export type Product = {
  /** In documents, in merchants' lists of products, fees and limits, and on statements. */
  name: string;
  /** The ledger's name of the rail. */
  rail: string;
  /** What fees are set for besides the product; empty where the product has no channels. */
  channelOf(details: object): string;
  /**
   * Whom it pays, as one text, alike for orders that pay the same one: for finding possible duplicates (contract §6). Only its
   * hash is stored.
   */
  beneficiaryOf(details: object): string;
  /** The exact request, made once and persisted before it is sent. `nowMs` is real time. */
  requestOf(order: TransferOrder, details: object, nowMs: number): string;
  /** `firstSend` only where the request was never sent before. */
  send(request: string, options: CallOptions & { firstSend: boolean }): Promise<Outcome>;
  inquire(request: string, options: CallOptions): Promise<Outcome | NotFoundOutcome>;
  /**
   * Whether a request that the rail does not know may be sent again: only while the rail can still recognize a repetition.
   * `nowMs` is real time.
   */
  mayResend(request: string, nowMs: number): boolean;
  /** For products that can be canceled or expire. */
  cancel?: Cancellation;
  /** For products whose rail gives a payment back when it is asked to. */
  refund?: Refunding;
  /** The transfer as the contract between services shows it. */
  toMessage(order: TransferOrder, details: object, state: TransferState): Transfer;
  toEvent(kind: PublishedKind, transfer: Transfer): Omit<NewEvent<EventType<'money-out'>>, 'atMs'>;
  /** For a product whose documents had fields of their own for why a transfer failed, before every product had the same one. */
  storedCause?: { write(cause: FailureCause): object; read(details: object): FailureCause };
};

export type Cancellation = {
  /** Asks the rail to pay no more. A rail that refuses, or no longer knows, answers `unknown` or `not_found`, and is inquired. */
  send(request: string, options: CallOptions): Promise<Outcome | NotFoundOutcome>;
  /** When the transfer is canceled by itself, business time; undefined where it never is. */
  expiresAtMs(details: object): number | undefined;
};

export type Refunding = {
  /**
   * Asks the rail to give all of a payment back. `refundReference` is the same whenever the same refund is asked for. `refused`: an
   * explicit no, and only to the first request. A rail that no longer knows answers `unknown`, and is inquired.
   */
  send(request: string, refundReference: string, options: CallOptions & { firstSend: boolean }): Promise<RefundOutcome>;
};

export type RefundOutcome =
  | Extract<Outcome, { outcome: 'returned' | 'unknown' }>
  | { outcome: 'refused'; code: string; reason: string }
  | { outcome: 'pending' };
