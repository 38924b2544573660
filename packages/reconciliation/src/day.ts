import { JAKARTA_OFFSET_MS } from '@gerbang/core';
import type { Period } from '@gerbang/rails';
import { TOLERANCE_MS } from './match/payment.ts';

/** A business day of Asia/Jakarta, YYYY-MM-DD. */
export type Day = string;

export const DAY_MS = 86_400_000;

/** The day that a moment is in. */
export function dayOf(ms: number): Day {
  return new Date(ms + JAKARTA_OFFSET_MS).toISOString().slice(0, 10);
}

/** Whether the text is a day that there is. */
export function isDay(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const startMs = Date.parse(`${text}T00:00:00+07:00`);
  return !Number.isNaN(startMs) && dayOf(startMs) === text;
}

export function periodOf(day: Day): Period {
  const fromMs = Date.parse(`${day}T00:00:00+07:00`);
  return { fromMs, toMs: fromMs + DAY_MS };
}

export function nextDay(day: Day): Day {
  return dayOf(periodOf(day).toMs);
}

/** When a day is compared: at 01:00 of the next one, when what belongs to it is booked on both sides. */
export function dueAtMs(day: Day): number {
  return periodOf(day).toMs + TOLERANCE_MS;
}

export function isIn({ fromMs, toMs }: Period, ms: number): boolean {
  return ms >= fromMs && ms < toMs;
}
