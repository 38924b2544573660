import type { KeyObject } from 'node:crypto';
import type { AdjustableClock } from '@gerbang/core';
import type { Logger } from '@gerbang/runtime';
import type { Store } from '@gerbang/store';
import type { BankBooks } from './bank-transfer/books.ts';
import type { ClockFollowers } from './clock/followers.ts';
import type { OffsetStore } from './clock/offset-store.ts';
import type { RailBehaviours } from './control/behaviours.ts';
import type { HistoryChanges } from './history/changes.ts';
import type { Metrics } from './metrics.ts';
import type { Gateway } from './money-in/gateway.ts';
import type { Receipts } from './money-in/receipts.ts';
import type { Refunds } from './money-in/refunds.ts';
import type { PaymentRequests } from './payment-request/store.ts';
import type { QrisBooks } from './qris-payment/books.ts';
import type { InquiryIds } from './snap/inquiry-ids.ts';
import type { TokenIssuer } from './snap/tokens.ts';

/** The simulator's dependencies as one plain object. */
export type Context = {
  /** The credentials by which the bank knows its partner. */
  partner: { clientKey: string; clientSecret: string; publicKey: KeyObject };
  /** Business time: when a payment that is pending is settled. */
  clock: AdjustableClock;
  offsets: OffsetStore;
  followers: ClockFollowers;
  /** For what a single rail keeps (per-context.ts). */
  store: Store;
  books: BankBooks;
  /**
   * Of the rails that bring money in: the payment requests that they hold, what they have taken, and what they have given back.
   */
  paymentRequests: PaymentRequests;
  receipts: Receipts;
  refunds: Refunds;
  /** Codes that partners pay as their customers' issuer. */
  qrisBooks: QrisBooks;
  /** Where customers reach the simulator's own pages, without a slash at the end. */
  publicUrl: string;
  /** The other side: what the rails call. */
  gateway: Gateway;
  /** What tests have made of the histories that the rails tell. */
  historyChanges: HistoryChanges;
  behaviours: RailBehaviours;
  tokens: TokenIssuer;
  inquiryIds: InquiryIds;
  metrics: Metrics;
  log: Logger;
  /** At least 0, less than 1: decides which calls an error rate hits. */
  random: () => number;
  /** Aborted when the service closes: silent calls are cut, polls and delayed answers come at once. */
  stopping: AbortSignal;
};
