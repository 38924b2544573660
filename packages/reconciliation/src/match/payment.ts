import type { HistoryRow } from '@gerbang/rails';

/**
 * How a payment of ours stands, as far as its rail is concerned: the money has moved; it is not known yet; it has not moved; it
 * has moved and come back.
 */
export type Standing = 'done' | 'open' | 'not-done' | 'returned';

/** A payment as we know it. Times in Unix milliseconds of business time. */
export type OurPayment = {
  /** Unique on its rail. */
  id: string;
  direction: HistoryRow['direction'];
  /** What the rail moves, without our fee. */
  amountSen: bigint;
  /** The rail has booked it between these two, if at all. It belongs to the day of the first. */
  fromMs: number;
  toMs: number;
  /** Until then it is no surprise that it is open. */
  openUntilMs: number;
  standing: Standing;
  /** Our own word for how it stands, for operators. */
  status: string;
  /** What identifies it in a remark: numbers of accounts, phones and codes, references. */
  keys: readonly string[];
  /** What the remark may show besides; it identifies nothing by itself. */
  text: string;
  /** The rail's own reference, as the rail has told us; empty where it is not known. */
  railReference: string;
  /** For operators: whose it is, and what they call it. */
  merchantId: string;
  accountId: string;
  reference: string;
};

/** A payment and the row of the rail that is it. */
export type Pair = { ours: OurPayment; row: HistoryRow };

/** One clock against another, a bank's delay in booking, and the ends of a day. */
export const TOLERANCE_MS = 3_600_000;
