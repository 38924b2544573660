import type { CallOptions } from '../rail-call.ts';

/**
 * What a rail's own books say of one movement. Most rails name no reference of ours: a row is matched by amount, time and remark.
 * `correction` takes an earlier movement back, so its direction is the opposite of that one. `open` and `canceled` moved nothing.
 */
export type HistoryRow = {
  /** The rail's time, Unix milliseconds; most rails tell whole seconds. */
  atMs: number;
  amountSen: bigint;
  /** As the money moves for us: `out` is a debit of our account at the rail. */
  direction: 'in' | 'out';
  status: 'booked' | 'correction' | 'open' | 'canceled';
  /** The rail's words, which it may cut anywhere. */
  remark: string;
  /** Our reference of the payment, where the rail tells it: then the row is that payment's and no other's. */
  ourReference?: string;
  /** The rail's own reference; empty where it tells none. */
  railTransactionId: string;
};

/** From one moment to another, Unix milliseconds of the rail's time; the end is not in it. */
export type Period = { fromMs: number; toMs: number };

/** The port to a rail's books of our account. */
export type RailHistory = {
  /** The shortest period that the rail lists by itself: callers ask for no shorter one. */
  sliceMs: number;
  /**
   * The rows of a period, newest first, fetched page by page as they are read. Throws HistoryError where the rail does not answer,
   * answers what cannot be read, or has more than the bound. `signal` ends it.
   */
  list(period: Period, options: CallOptions): AsyncIterable<HistoryRow>;
  close(): Promise<void>;
};

/** Why a history could not be read to its end. The message is for operators and holds no secret. */
export class HistoryError extends Error {
  override name = 'HistoryError';
}

/** Asks the rail once; gives the body of a success. Throws HistoryError for everything else. */
export type AskPage = (body: object) => Promise<object>;

/** Bounds of one listing: a rail that goes beyond them contradicts itself, or is asked for too long a period. */
export const HISTORY_BOUNDS = { rowsMax: 500_000, pagesMax: 10_000 } as const;

/** SNAP lists at most a month at a time. */
export const PERIOD_MAX_MS = 31 * 86_400_000;
