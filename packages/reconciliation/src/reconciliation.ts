import type { Day } from './day.ts';
import { DAY_MS, dueAtMs, periodOf } from './day.ts';
import type { DayResult } from './day-result.ts';

/** A day of a rail, and how its newest run came out. Times in Unix milliseconds of business time. */
export type Reconciliation = {
  rail: string;
  day: Day;
  status: 'waiting' | 'running' | 'done' | 'failed';
  /** Counts the runs; a run writes only while this is still its own number. */
  run: number;
  /** How many runs were asked for, the scheduled one included, and how many of them the newest finished run answers. */
  requests: number;
  finishedRequests: number;
  /** Who has asked for the next run, or for the one that goes on. */
  by: string;
  /** Runs since the last one that was finished. */
  attempts: number;
  startedAtMs: number | undefined;
  finishedAtMs: number | undefined;
  dueAtMs: number | undefined;
  problem: string;
  result: Summary | undefined;
};

export type Summary = Pick<DayResult, 'ours' | 'rail' | 'matched' | 'open'> & {
  differences: number;
  /** When the run began whose result it is: what came in later was not compared. */
  comparedAtMs: number;
  /** Who has asked for it. */
  by: string;
};

/** The name under which the timer compares a day. */
export const TIMER = 'timer';

/** A day that is not settled is compared again each night, for so long. */
const AGAIN_FOR_MS = 7 * DAY_MS;
const RETRY_FIRST_MS = 60_000;
const RETRY_MAX_MS = 2 * 3_600_000;

/** When a day whose run failed is tried again. */
export function retryAtMs(attempts: number, nowMs: number): number {
  return nowMs + Math.min(RETRY_FIRST_MS * 2 ** Math.min(attempts - 1, 10), RETRY_MAX_MS);
}

/**
 * When a day is compared again by itself: the next night, while something of it is not known yet or differs, since late reports of
 * a rail settle most differences; undefined for never.
 */
export function againAtMs(day: Day, { open, differences }: Summary, nowMs: number): number | undefined {
  const isSettled = open === 0 && differences === 0;
  if (isSettled || nowMs - periodOf(day).toMs >= AGAIN_FOR_MS) return undefined;
  const firstMs = dueAtMs(day);
  return firstMs + (Math.floor((nowMs - firstMs) / DAY_MS) + 1) * DAY_MS;
}
