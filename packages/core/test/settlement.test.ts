import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import {
  type BankingCalendar,
  coversYear,
  INDONESIAN_BANKING_CALENDAR,
  isBankingDay,
  PRODUCTION_SETTLEMENT,
  parseBankingCalendar,
  parseSettlementRules,
  SANDBOX_SETTLEMENT,
  settlementRuleOf,
  settlesAt,
} from '../src/index.ts';

const calendar = INDONESIAN_BANKING_CALENDAR;
const jakarta = (text: string) => Date.parse(`${text}+07:00`);
const T2 = { bankingDays: 2, minuteOfDay: 14 * 60 + 30 };

describe('when money in settles', () => {
  it.each([
    ['on a Wednesday: on Thursday', '2026-11-18T10:00:00.000', '2026-11-19T09:00:00.000'],
    ['in the first millisecond of a day: on the next one', '2026-11-18T00:00:00.000', '2026-11-19T09:00:00.000'],
    ['in the last millisecond of a day: on the next one all the same', '2026-11-18T23:59:59.999', '2026-11-19T09:00:00.000'],
    ['on a Friday: on Monday', '2026-11-20T16:00:00.000', '2026-11-23T09:00:00.000'],
    ['on a Saturday: on Monday', '2026-11-21T08:00:00.000', '2026-11-23T09:00:00.000'],
    ['on a Sunday: on Monday', '2026-11-22T23:00:00.000', '2026-11-23T09:00:00.000'],
    ['before Idul Fitri: after it', '2026-03-17T12:00:00.000', '2026-03-25T09:00:00.000'],
    ['before Christmas: on the Monday after it', '2026-12-23T12:00:00.000', '2026-12-28T09:00:00.000'],
    ['at the end of the year: after New Year', '2026-12-31T12:00:00.000', '2027-01-04T09:00:00.000'],
  ])('T+1 09:00, paid %s', (_, paid, settles) => {
    expect(settlesAt(jakarta(paid), PRODUCTION_SETTLEMENT, calendar)).toBe(jakarta(settles));
  });

  it('counts banking days alone', () => {
    expect(settlesAt(jakarta('2026-11-20T16:00:00.000'), T2, calendar)).toBe(jakarta('2026-11-24T14:30:00.000'));
    expect(settlesAt(jakarta('2026-12-22T12:00:00.000'), T2, calendar)).toBe(jakarta('2026-12-28T14:30:00.000'));
  });

  it('after a delay, whatever day it is', () => {
    const paidAtMs = jakarta('2026-12-25T23:59:58.000');
    expect(settlesAt(paidAtMs, SANDBOX_SETTLEMENT, calendar)).toBe(paidAtMs + 5_000);
  });

  it('is after the payment, on a banking day at its hour, and never later for who paid earlier', () => {
    const time = fc.integer({ min: jakarta('2026-01-01T00:00:00.000'), max: jakarta('2027-12-31T00:00:00.000') });
    const rule = fc.record({ bankingDays: fc.integer({ min: 1, max: 5 }), minuteOfDay: fc.integer({ min: 0, max: 1_439 }) });
    fc.assert(
      fc.property(time, time, rule, (one, other, chosen) => {
        const [first, second] = [Math.min(one, other), Math.max(one, other)];
        const due = settlesAt(first, chosen, calendar);
        expect(due).toBeGreaterThan(first);
        expect(due).toBeLessThanOrEqual(settlesAt(second, chosen, calendar));
        const local = new Date(due + 7 * 3_600_000).toISOString();
        expect(isBankingDay(calendar, local.slice(0, 10))).toBe(true);
        expect(Number(local.slice(11, 13)) * 60 + Number(local.slice(14, 16))).toBe(chosen.minuteOfDay);
      }),
    );
  });

  it('ends even with a list that leaves no day', () => {
    const days = Array.from({ length: 3_000 }, (_, i) =>
      new Date(Date.parse('2026-01-01') + i * 86_400_000).toISOString().slice(0, 10),
    );
    const never: BankingCalendar = { holidays: new Set(days) };
    expect(() => settlesAt(jakarta('2026-01-01T00:00:00.000'), PRODUCTION_SETTLEMENT, never)).toThrow(/no banking day/);
  });
});

describe('the list of holidays', () => {
  it('comes with those of 2026 and 2027, and says where it ends', () => {
    expect([2026, 2027, 2028].map((year) => coversYear(calendar, year))).toEqual([true, true, false]);
    expect(isBankingDay(calendar, '2026-08-17')).toBe(false);
    expect(isBankingDay(calendar, '2026-08-18')).toBe(true);
  });

  it.each([
    ['no object', 5, /^holidays: must be an object/],
    ['no holidays', {}, /^holidays: must be an object/],
    ['a list', { holidays: ['2026-01-01'] }, /^holidays: must be an object/],
    ['a date that is none', { holidays: { '2026-02-30': 'x' } }, /2026-02-30 is not a date/],
    ['a date in another form', { holidays: { '1-1-2026': 'x' } }, /1-1-2026 is not a date/],
    ['a name that is none', { holidays: { '2026-01-01': 5 } }, /the name of 2026-01-01/],
  ])('is refused: %s', (_, list, problem) => {
    expect(() => parseBankingCalendar(list)).toThrow(problem);
  });

  it('of an operator is used as it is', () => {
    const own = parseBankingCalendar({ holidays: { '2026-11-19': 'A day off' }, note: 'ignored' });
    expect(settlesAt(jakarta('2026-11-18T10:00:00.000'), PRODUCTION_SETTLEMENT, own)).toBe(jakarta('2026-11-20T09:00:00.000'));
  });
});

describe('rules of settlement', () => {
  const parse = (text: string) => parseSettlementRules(text, PRODUCTION_SETTLEMENT);

  test.each<[string, string, object]>([
    ['', 'qris', PRODUCTION_SETTLEMENT],
    ['card=T+2 14:30', 'qris', PRODUCTION_SETTLEMENT],
    ['card=T+2 14:30', 'card', T2],
    ['*=30m, card=2h', 'qris', { delayMs: 1_800_000 }],
    ['*=30m, card=2h', 'card', { delayMs: 7_200_000 }],
    ['*=5s', 'card', SANDBOX_SETTLEMENT],
  ])('"%s" of %s', (text, product, rule) => {
    const rules = parse(text);
    if (rules === undefined) return expect.fail('are no rules');
    expect(settlementRuleOf(rules, product)).toEqual(rule);
  });

  test.each([
    'card',
    'card=',
    '=5s',
    'card=5',
    'card=T+0 09:00',
    'card=T+1 24:00',
    'card=T+1',
    'card=5s,card=6s',
    'CARD=5s',
    'card=T+31 09:00',
  ])('"%s" are none', (text) => {
    expect(parse(text)).toBeUndefined();
  });
});
