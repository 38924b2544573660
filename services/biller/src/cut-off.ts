import { RefusalError, refuse } from '@gerbang/core';

/** The times at which a kind of product is not sold, in minutes of the day in Asia/Jakarta; they may go over midnight. */
export type CutOff = ReadonlyMap<string, { from: number; until: number }>;

/** PLN closes its books at midnight (contract §9). */
export const PRODUCTION_CUT_OFF = 'plntok=23:00-01:00';

const JAKARTA_OFFSET_MINUTES = 7 * 60;
const DAY_MINUTES = 24 * 60;
const ENTRY = /^([a-z0-9]{1,20})=([01][0-9]|2[0-3]):([0-5][0-9])-([01][0-9]|2[0-3]):([0-5][0-9])$/;

/** Reads `plntok=23:00-01:00,…`, or `none`; undefined where it is neither. */
export function parseCutOff(text: string): CutOff | undefined {
  const cutOff = new Map<string, { from: number; until: number }>();
  if (text === 'none') return cutOff;
  for (const entry of text.split(',')) {
    const [, command = '', fromHour, fromMinute, untilHour, untilMinute] = ENTRY.exec(entry.trim()) ?? [];
    const from = Number(fromHour) * 60 + Number(fromMinute);
    const until = Number(untilHour) * 60 + Number(untilMinute);
    if (command === '' || from === until || cutOff.has(command)) return undefined;
    cutOff.set(command, { from, until });
  }
  return cutOff;
}

/** Refuses in the cut-off of the command, and says when to come again. `nowMs` is business time. Refusals: vendor_inactive. */
export function mustBeSold(cutOff: CutOff, command: string, nowMs: number): void {
  const closed = cutOff.get(command);
  if (closed === undefined) return;
  const nowMinutes = (nowMs / 60_000 + JAKARTA_OFFSET_MINUTES) % DAY_MINUTES;
  const sinceMinutes = (nowMinutes - closed.from + DAY_MINUTES) % DAY_MINUTES;
  const lengthMinutes = (closed.until - closed.from + DAY_MINUTES) % DAY_MINUTES;
  if (sinceMinutes >= lengthMinutes) return;
  const retryAfterMs = Math.ceil((lengthMinutes - sinceMinutes) * 60_000);
  const message = `${command} is not sold from ${clock(closed.from)} to ${clock(closed.until)}, Asia/Jakarta`;
  throw new RefusalError(refuse('vendor_inactive', { message, retryAfterMs }));
}

function clock(minutes: number): string {
  return [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, '0')).join(':');
}
