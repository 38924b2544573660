import type { HistoryRow } from '@gerbang/rails';
import { describe, expect, it } from 'vitest';
import { compareDay } from '../src/compare-day.ts';
import type { OurPayment } from '../src/match/payment.ts';
import { slicesOf } from '../src/rows.ts';
import { at, correctionOf, DAY, memoryRail, ours, row, rowOf } from './memory-rail.ts';

/** Compares at 01:00 of the next day unless told; gives each difference as "kind payment|- remark|-". */
async function compare(
  payments: OurPayment[],
  rows: HistoryRow[],
  { nowMs = at('25:00'), claims = new Map<string, string>(), sliceMs = 3_600_000 } = {},
) {
  const rail = memoryRail(payments, rows);
  const result = await compareDay({ ...rail, history: { ...rail.history, sliceMs } }, DAY, {
    nowMs,
    signal: new AbortController().signal,
    afterSlice: async () => {},
    claimed: async () => claims,
  });
  const shown = result.differences.map(({ kind, ours, row }) => `${kind} ${ours?.id ?? '-'} ${row?.remark ?? '-'}`);
  return { ...result, shown: shown.sort() };
}

describe('a day without a difference', () => {
  it('is so in any order of the rows, and counts both sides', async () => {
    const payments = [ours('00:00'), ours('09:59:59'), ours('10:00'), ours('23:59:59')];
    const rows = payments.map((payment) => rowOf(payment)).reverse();
    expect(await compare(payments, rows)).toMatchObject({
      shown: [],
      matched: 4,
      open: 0,
      ours: { count: 4, sumSen: 40_000_00n },
      rail: { count: 4, sumSen: 40_000_00n },
    });
  });

  it('is the same for a rail that lists whole days', async () => {
    const payments = [ours('00:00'), ours('13:00'), ours('23:59:59')];
    const rows = payments.map((payment) => rowOf(payment));
    expect(await compare(payments, rows, { sliceMs: 86_400_000 })).toMatchObject({ shown: [], matched: 3 });
  });

  it.each([
    ['a remark that is cut', ['1234567890'], 'TRSF 12345678'],
    ['another of its keys', ['1234567890', 'INV-2026-77'], 'PAY INV 2026 77 INV202677'],
    ['a remark that says nothing', ['1234567890'], 'TRANSFER'],
    ['the text alone, beside the number of another thing', ['1234567890'], 'SEWA RUMAH 20261121'],
  ])('matches by %s', async (_, keys, remark) => {
    const payment = ours('10:00', { keys, text: 'sewa rumah' });
    expect(await compare([payment], [row('10:05', remark)])).toMatchObject({ shown: [], matched: 1 });
  });

  it("matches by the rail's own reference, with any remark", async () => {
    const payment = ours('10:00', { railReference: 'R1' });
    expect(await compare([payment], [row('10:00', 'FOR 99999999', { railTransactionId: 'R1' })])).toMatchObject({ shown: [] });
  });

  it('pairs payments that are alike one to one by time', async () => {
    const alike = { keys: ['1234567890'] };
    const payments = [ours('10:00', alike), ours('10:10', alike), ours('10:20', alike)];
    const rows = ['10:09', '10:19', '10:29'].map((time) => row(time, 'TRSF 1234567890'));
    expect(await compare(payments, rows)).toMatchObject({ shown: [], matched: 3 });
  });

  it('pairs thousands of payments that are alike', async () => {
    const payments = Array.from({ length: 2_500 }, (_, index) => {
      const fromMs = at('10:00') + index * 100;
      return ours('10:00', { id: `p${index}`, fromMs, toMs: fromMs });
    });
    const rows = payments.map(({ fromMs }) => row('10:00', '', { atMs: fromMs }));
    expect(await compare(payments, rows)).toMatchObject({ shown: [], matched: 2_500 });
  });

  it('leaves failed payments and the other side of the account alone', async () => {
    const failed = ours('10:00', { standing: 'not-done', status: 'failed' });
    const rows = [row('11:00', 'SETORAN', { direction: 'in' }), row('10:00', 'X', { status: 'canceled' })];
    expect(await compare([failed], rows)).toMatchObject({ shown: [], matched: 0, ours: { count: 0 }, rail: { count: 0 } });
  });

  it('takes what came back, with or without rows of it', async () => {
    const [both, neither] = [ours('10:00', { standing: 'returned' }), ours('11:00', { standing: 'returned' })];
    expect(await compare([both, neither], [rowOf(both), correctionOf(both, '15:00')])).toMatchObject({ shown: [] });
  });

  it('finds rows on the other side of midnight, and leaves the days beside to themselves', async () => {
    const [before, after] = [ours('-01:50'), ours('23:59')];
    const rows = [rowOf(after, { atMs: at('24:02') }), row('24:30', 'OF ANOTHER DAY')];
    expect(await compare([after, ours('24:10'), before], rows)).toMatchObject({ shown: [], matched: 1 });
  });
});

describe('a difference has both sides', () => {
  const payment = (over: Partial<OurPayment> = {}) => ours('10:00', { id: 'X', keys: ['1234567890'], ...over });
  const booked = (over: Partial<HistoryRow> = {}) => row('10:01', '1234567890', over);
  const back = () => row('15:00', '1234567890', { direction: 'in', status: 'correction' });

  it.each<[string, OurPayment[], HistoryRow[], string[]]>([
    ['the rail has no row', [payment()], [], ['missing-at-rail X -']],
    ['the rail has a row of nothing', [], [booked()], ['missing-here - 1234567890']],
    ['both, of one amount', [payment()], [row('10:00', 'TO 99999999')], ['missing-at-rail X -', 'missing-here - TO 99999999']],
    ['another amount', [payment()], [booked({ amountSen: 1n })], ['amount X 1234567890']],
    ['the rail took it back', [payment()], [booked(), back()], ['status X 1234567890']],
    ['the rail canceled it', [payment()], [booked({ status: 'canceled' })], ['status X 1234567890']],
    ['it failed here, and was paid', [payment({ standing: 'not-done' })], [booked()], ['status X 1234567890']],
    ['it came back here only', [payment({ standing: 'returned' })], [booked()], ['status X 1234567890']],
    ['the rail took back what we do not know', [], [back()], ['missing-here - 1234567890']],
    [
      'the same number, far away in time',
      [payment()],
      [row('12:00', '1234567890')],
      ['missing-at-rail X -', 'missing-here - 1234567890'],
    ],
    [
      'nothing is said, and the time is not near',
      [payment()],
      [row('10:40', 'TRSF')],
      ['missing-at-rail X -', 'missing-here - TRSF'],
    ],
  ])('%s', async (_, payments, rows, expected) => {
    const { shown, differences } = await compare(payments, rows);
    expect(shown).toEqual(expected);
    for (const { reason } of differences) expect(reason).not.toBe('');
  });

  it('of two alike and one row it is the farther one', async () => {
    const alike = { keys: ['1234567890'] };
    const payments = [ours('10:00', { ...alike, id: 'near' }), ours('10:20', { ...alike, id: 'far' })];
    expect((await compare(payments, [row('10:01', '1234567890')])).shown).toEqual(['missing-at-rail far -']);
  });

  it('of two alike, equally near, it is ambiguous', async () => {
    const alike = { keys: ['1234567890'] };
    const payments = [ours('10:00:00', { ...alike, id: 'one' }), ours('10:00:20', { ...alike, id: 'two' })];
    const { shown, differences } = await compare(payments, [row('10:00:05', '1234567890')]);
    expect(shown).toEqual(['ambiguous two -']);
    expect(differences[0]?.reason).toContain('could change places with');
  });

  it('of one and two rows alike, the second is a payment too many', async () => {
    const rows = [row('10:01', '1234567890'), row('10:30', '1234567890')];
    expect((await compare([payment()], rows)).shown).toEqual(['missing-here - 1234567890']);
  });

  it('a failed attempt takes no row of the one that succeeded', async () => {
    const keys = ['1234567890'];
    const payments = [ours('10:00', { keys, standing: 'not-done', id: 'first' }), ours('10:05', { keys, id: 'second' })];
    expect((await compare(payments, [row('10:01', '1234567890')])).shown).toEqual([]);
    expect((await compare(payments.slice(0, 1), [row('10:01', '1234567890')])).shown).toEqual(['status first 1234567890']);
  });
});

describe('what is not known yet', () => {
  const open = () => ours('10:00', { id: 'X', standing: 'open', status: 'sent', toMs: at('25:00') });

  it('is no difference until its time is over', async () => {
    const payment = open();
    for (const rows of [[], [rowOf(payment)]])
      expect(await compare([payment], rows)).toMatchObject({ shown: [], open: 1, rail: { count: rows.length } });
    const late = { nowMs: at('34:00') };
    expect((await compare([payment], [], late)).differences).toMatchObject([{ kind: 'status', ours: { id: 'X' } }]);
    expect((await compare([payment], [rowOf(payment)], late)).differences).toMatchObject([
      { kind: 'status', reason: 'it is still sent here, and the rail has moved it' },
    ]);
  });

  it('is found on the day on which the rail has booked it, which is a later one', async () => {
    const payment = ours('10:00', { toMs: at('35:00') });
    const booked = rowOf(payment, { atMs: at('34:00') });
    expect(await compare([payment], [booked], { nowMs: at('49:00') })).toMatchObject({ shown: [], matched: 1 });
  });

  it('of an earlier day is found by its row of this day, unless it has another row', async () => {
    const payment = ours('-14:00', { toMs: at('09:00') });
    const booked = rowOf(payment, { atMs: at('09:00') });
    expect(await compare([payment], [booked])).toMatchObject({ shown: [], claims: [{ paymentId: payment.id }] });
    const claims = new Map([[payment.id, 'another row']]);
    expect((await compare([payment], [booked], { claims })).shown).toEqual([`missing-here - ${booked.remark}`]);
  });

  it('a payment that failed, of an earlier day, whose row is of this day', async () => {
    const payment = ours('-14:00', { toMs: at('09:00'), standing: 'not-done', status: 'failed', id: 'X' });
    const { shown } = await compare([payment], [rowOf(payment, { atMs: at('09:00') })]);
    expect(shown).toEqual([`status X TRSF ${payment.keys[0]} E-BANKING`]);
  });

  it('a payment of an earlier day that the rail takes back today', async () => {
    const payment = ours('-30:00', { id: 'X' });
    expect((await compare([payment], [correctionOf(payment, '10:00')])).differences).toMatchObject([
      { kind: 'status', ours: { id: 'X' }, reason: 'the rail has taken it back' },
    ]);
    expect(await compare([{ ...payment, standing: 'returned' }], [correctionOf(payment, '10:00')])).toMatchObject({ shown: [] });
  });
});

it('finds exactly what was changed in a day of many payments that are alike', async () => {
  const amounts = [10_000_00n, 50_000_00n, 100_000_00n];
  const payments = Array.from({ length: 6_000 }, (_, i) => {
    const fromMs = at('00:00') + ((i * 7_919) % 86_400) * 1_000;
    return ours('00:00', {
      fromMs,
      toMs: fromMs,
      amountSen: amounts[i % 3] ?? 1n,
      keys: [`62812${String(i % 500).padStart(7, '0')}`],
    });
  });
  const rows = payments.map((payment, i) => rowOf(payment, { atMs: payment.fromMs + ((i * 31) % 240) * 1_000 }));
  const kept = rows.filter((_, i) => i % 1_000 !== 17);
  kept.push(row('12:00', 'UNKNOWN 99887766'), row('13:00', 'UNKNOWN 99887755'));
  const { differences, matched } = await compare(payments, kept);
  expect(matched).toBe(5_994);
  expect(differences.filter(({ kind }) => kind === 'missing-here')).toHaveLength(2);
  const missing = differences.flatMap(({ ours }) => ours ?? []).map(({ id }) => id);
  expect(missing.sort()).toEqual(
    payments
      .filter((_, i) => i % 1_000 === 17)
      .map(({ id }) => id)
      .sort(),
  );
});

it.each([
  [3_600_000, 26],
  [7_200_000, 14],
  [86_400_000, 3],
])('cuts the day and an hour around it at whole slices of %i ms', (sliceMs, count) => {
  const window = { fromMs: at('-01:00'), toMs: at('25:00') };
  const slices = [...slicesOf(window, at('00:00'), sliceMs)];
  expect(slices).toHaveLength(count);
  expect([slices[0]?.fromMs, slices[0]?.toMs, slices.at(-1)?.toMs]).toEqual([window.fromMs, at('00:00'), window.toMs]);
  for (const [i, slice] of slices.entries()) expect(slice.fromMs).toBe(i === 0 ? window.fromMs : slices[i - 1]?.toMs);
});

describe('a rail that tells our references', () => {
  it('pairs only by them: what names another payment fits none, however near and alike it is', async () => {
    const [paid, missing] = [ours('10:00', { keys: ['99REFERENCEA'] }), ours('10:00', { keys: ['99REFERENCEB'] })];
    const named = (reference: string) => row('10:00', reference, { ourReference: reference });
    const { shown, matched } = await compare([paid, missing], [named('99ReferenceA'), named('99REFERENCEC')]);
    expect([shown, matched]).toEqual([[`missing-at-rail ${missing.id} -`, 'missing-here - 99REFERENCEC'].sort(), 1]);
  });
});
