import type { HistoryRow } from '@gerbang/rails';
import type { DifferenceKind } from './match/judge.ts';
import type { OurPayment } from './match/payment.ts';

/** What is different, with both sides as far as there are both. */
export type Difference = { kind: DifferenceKind; reason: string; ours: OurPayment | undefined; row: HistoryRow | undefined };

/** One side of a day: movements and what they come to. */
export type Totals = { count: number; sumSen: bigint };

export type DayResult = {
  ours: Totals;
  rail: Totals;
  matched: number;
  /** Payments that are not known yet, with time left. */
  open: number;
  differences: Difference[];
  /** Pairs of payments that were not known at the end of their day: no other day may pair them again. */
  claims: { paymentId: string; rowKey: string }[];
};

export type DayOptions = {
  /** Business time. */
  nowMs: number;
  signal: AbortSignal;
  /** Called after each slice: the run is alive. Throws where it is not ours any more. */
  afterSlice(): Promise<void>;
  /** The rows that other days have paired these payments with, by the payment. */
  claimed(paymentIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
};
