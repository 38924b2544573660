import type { Period, RailHistory } from '@gerbang/rails';
import type { OurPayment } from './match/payment.ts';

/** A payment as it is read; `readToMs`: no payment that comes later in the stream begins before this. */
export type ReadPayment = { payment: OurPayment; readToMs: number };

/** A rail whose books are compared with our payments. */
export type ReconciledRail = {
  /** Its name among all that are reconciled, over all services. */
  name: string;
  /** What it does for us. Rows that move the other way and correct nothing are not of this rail. */
  moves: OurPayment['direction'];
  history: RailHistory;
  /**
   * Our payments whose `fromMs` is in the period, in about the order of time, read page by page. With `amountsSen` only those of
   * these amounts.
   */
  payments(period: Period, filter?: { amountsSen: readonly bigint[] }): AsyncIterable<ReadPayment>;
};
