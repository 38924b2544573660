import { describe, expect, test } from 'vitest';
import { type Calendar, dueOf, firstDueAfter } from './calendar.ts';

const jakarta = (text: string) => Date.parse(`${text}+07:00`);
const dates = (calendar: Calendar, cycles: number) =>
  Array.from({ length: cycles }, (_, i) => new Date(dueOf(calendar, i + 1) + 7 * 3_600_000).toISOString().slice(0, 16));

const monthly = (start: string, count = 1): Calendar => ({ startAtMs: jakarta(start), interval: 'month', count });

describe('months', () => {
  test.each([
    ['a month’s end stays one', '2027-01-31T09:30', ['2027-01-31', '2027-02-28', '2027-03-31', '2027-04-30', '2027-05-31']],
    ['that of February too', '2027-02-28T09:30', ['2027-02-28', '2027-03-31', '2027-04-30']],
    ['that of a leap year', '2028-02-29T09:30', ['2028-02-29', '2028-03-31', '2028-04-30']],
    ['the 28th of a leap February is no end', '2028-02-28T09:30', ['2028-02-28', '2028-03-28']],
    ['the 30th comes back after February', '2027-01-30T09:30', ['2027-01-30', '2027-02-28', '2027-03-30']],
    ['the 29th has its own day in a leap year', '2028-01-29T09:30', ['2028-01-29', '2028-02-29', '2028-03-29']],
    ['beyond a year', '2027-11-15T09:30', ['2027-11-15', '2027-12-15', '2028-01-15']],
  ])('%s', (_, start, expected) => {
    expect(dates(monthly(start), expected.length)).toEqual(expected.map((date) => `${date}T09:30`));
  });

  test('every 12 months, from the 29th of February: the end of February each year', () => {
    expect(dates(monthly('2028-02-29T00:10', 12), 5)).toEqual([
      '2028-02-29T00:10',
      '2029-02-28T00:10',
      '2030-02-28T00:10',
      '2031-02-28T00:10',
      '2032-02-29T00:10',
    ]);
  });

  test('the date is that of Jakarta: early on the 1st it is still the 31st in UTC', () => {
    expect(dates(monthly('2027-02-01T03:00'), 3)).toEqual(['2027-02-01T03:00', '2027-03-01T03:00', '2027-04-01T03:00']);
  });
});

test.each([
  ['day', 3, ['2027-02-27', '2027-03-02', '2027-03-05']],
  ['week', 2, ['2027-02-27', '2027-03-13', '2027-03-27']],
] as const)('every %s', (interval, count, expected) => {
  const calendar = { startAtMs: jakarta('2027-02-27T12:00'), interval, count };
  expect(dates(calendar, 3)).toEqual(expected.map((date) => `${date}T12:00`));
});

test('the first cycle after a moment is after it, and not at it', () => {
  const calendar = monthly('2027-01-31T09:30');
  expect(firstDueAfter(calendar, 1, jakarta('2027-02-28T09:30'))).toBe(3);
  expect(firstDueAfter(calendar, 1, jakarta('2027-02-28T09:29'))).toBe(2);
  expect(firstDueAfter(calendar, 5, jakarta('2027-02-28T09:29'))).toBe(5);
});
