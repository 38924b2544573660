import { RefusalError } from '@gerbang/core';
import { expect, test } from 'vitest';
import { type CutOff, mustBeSold, PRODUCTION_CUT_OFF, parseCutOff } from './cut-off.ts';

function cutOffOf(text: string): CutOff {
  const parsed = parseCutOff(text);
  if (parsed === undefined) throw new Error('no cut-off');
  return parsed;
}

/** How many minutes the caller is told to wait; 0 where it is sold. */
function waitOf(text: string, time: string, command = 'plntok'): number {
  try {
    mustBeSold(cutOffOf(text), command, Date.parse(`2026-11-22T${time}+07:00`));
    return 0;
  } catch (error) {
    if (!(error instanceof RefusalError) || error.refusal.refused !== 'vendor_inactive') throw error;
    return (error.refusal.retryAfterMs ?? 0) / 60_000;
  }
}

test.each([
  ['22:59:59', 0],
  ['23:00:00', 120],
  ['00:00:00', 60],
  ['00:59:00', 1],
  ['01:00:00', 0],
  ['12:00:00', 0],
])('PLN at %s: wait for %i minutes', (time, minutes) => {
  expect(waitOf(PRODUCTION_CUT_OFF, time)).toBe(minutes);
});

test('a cut-off within a day, of one command alone', () => {
  const text = 'pulsa=02:00-03:30, plntok=23:00-01:00';
  expect(['01:59:00', '02:00:00', '03:30:00'].map((time) => waitOf(text, time, 'pulsa'))).toEqual([0, 90, 0]);
  expect([waitOf(text, '02:30:00'), waitOf(text, '02:30:00', 'voucher')]).toEqual([0, 0]);
  expect(waitOf('none', '23:30:00')).toBe(0);
});

test.each([
  '',
  'plntok',
  'plntok=23:00',
  'plntok=24:00-01:00',
  'plntok=23:00-23:00',
  'PLN=23:00-01:00',
  'a=1:00-2:00',
  'a=01:00-02:00,a=03:00-04:00',
])('%j is no cut-off', (text) => expect(parseCutOff(text)).toBeUndefined());
