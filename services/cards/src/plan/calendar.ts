import { JAKARTA_OFFSET_MS } from '@gerbang/core';

export const INTERVALS = ['day', 'week', 'month'] as const;
export type Interval = (typeof INTERVALS)[number];

/** When a plan's cycles are due: the first at `startAtMs`, each later one `count` intervals after the one before. */
export type Calendar = { startAtMs: number; interval: Interval; count: number };

const DAY_MS = 86_400_000;

/**
 * When a cycle is due; the first is 1. Dates are those of Jakarta. Every date is counted from the first, so that a short month does not
 * move the later ones: the 30th is the 28th in February and the 30th again in March. A plan that begins at a month's end stays there.
 */
export function dueOf({ startAtMs, interval, count }: Calendar, cycle: number): number {
  const steps = (cycle - 1) * count;
  switch (interval) {
    case 'day':
      return startAtMs + steps * DAY_MS;
    case 'week':
      return startAtMs + steps * 7 * DAY_MS;
    case 'month':
      return monthsLater(startAtMs, steps);
    default:
      return interval satisfies never;
  }
}

function monthsLater(startAtMs: number, months: number): number {
  const start = new Date(startAtMs + JAKARTA_OFFSET_MS);
  const [year, month, day] = [start.getUTCFullYear(), start.getUTCMonth(), start.getUTCDate()];
  const isMonthEnd = day === lastDayOf(year, month);
  const last = lastDayOf(year, month + months);
  const midnight = Date.UTC(year, month + months, isMonthEnd ? last : Math.min(day, last));
  const timeOfDay = start.getTime() - Date.UTC(year, month, day);
  return midnight + timeOfDay - JAKARTA_OFFSET_MS;
}

/** Of a month that may be beyond December. */
function lastDayOf(year: number, month: number): number {
  return new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
}

/** The first cycle from `from` on that is due after a moment. */
export function firstDueAfter(calendar: Calendar, from: number, atMs: number): number {
  let cycle = from;
  while (dueOf(calendar, cycle) <= atMs) cycle++;
  return cycle;
}
