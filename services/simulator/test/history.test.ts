import { type HistoryRow, type HistoryStyle, openSnapHistory } from '@gerbang/rails';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Bench, callBank, newRequest, soon, startBench, toRecord } from './harness.ts';

let bench: Bench;

beforeAll(async () => {
  bench = await startBench();
});

afterAll(() => bench?.stop());

const HOUR_MS = 3_600_000;
/** Around now, by the bank's clock. */
const around = () => ({ fromMs: Date.now() - HOUR_MS, toMs: Date.now() + HOUR_MS });

async function list(account: string, style: HistoryStyle, moves: 'in' | 'out' = 'out') {
  const history = openSnapHistory({ ...bench.credentials(), style, account, moves, pageTimeoutMs: 5_000 });
  const rows: HistoryRow[] = [];
  try {
    for await (const row of history.list(around(), soon())) rows.push(row);
  } finally {
    await history.close();
  }
  return rows;
}

const pay = (accountNumber: string, remark: string) => bench.rail.transfer(newRequest(accountNumber, { remark }), soon());

describe('a statement of the bank', () => {
  test('has what was paid, newest first, by a remark that is cut and names no reference of ours', async () => {
    const request = newRequest('1234567890', { remark: 'gaji bulan November tahun ini dan bonus' });
    await bench.rail.transfer(request, soon());
    await pay('1234560001', 'is refused');
    const [row, ...others] = await list('bank-transfer', 'bank-statement');
    expect(others).toEqual([]);
    expect(row).toMatchObject({
      amountSen: 15_000_00n,
      direction: 'out',
      status: 'booked',
      remark: 'TRSF 014 1234567890 gaji bulan November',
    });
    expect(row?.railTransactionId).toMatch(/^[0-9A-F]{20}$/);
    expect(Math.abs((row?.atMs ?? 0) - Date.now())).toBeLessThan(60_000);
    expect(JSON.stringify(row, (_, value) => String(value))).not.toContain(request.partnerReference);
  });

  test('has a correction of what came back', async () => {
    const request = newRequest('5550001234');
    await bench.rail.transfer(request, soon());
    await bench.control('POST', `transfers/${request.partnerReference}/reverse`);
    const rows = (await list('bank-transfer', 'bank-statement')).filter(({ remark }) => remark.includes('5550001234'));
    expect(rows.map(({ direction, status }) => `${direction} ${status}`).sort()).toEqual(['in correction', 'out booked']);
  });

  test('is not told for an account that is none of ours', async () => {
    const body = { accountNo: '1', fromDateTime: '2026-11-21T00:00:00+07:00', toDateTime: '2026-11-21T01:00:00+07:00' };
    const { json } = await callBank(bench.url(), '/v1.0/bank-statement', body);
    expect(json.responseCode).toBe('4001401');
  });
});

describe('tests change what a rail tells, and not its books', () => {
  const at = () => new Date().toISOString();
  const amount = (value: string) => ({ value, currency: 'IDR' });

  test('rows are added, changed, dropped, and forgotten', async () => {
    const added = { at: at(), amount: amount('777.00'), direction: 'out', remark: 'BIAYA ADM' };
    const { status, json } = await bench.control('POST', 'history/cardless/rows', added);
    expect([status, json.status]).toEqual([200, 'booked']);
    expect(await list('cardless', 'bank-statement')).toMatchObject([{ amountSen: 777_00n, remark: 'BIAYA ADM' }]);
    await bench.control('PATCH', `history/cardless/rows/${json.id}`, { amount: amount('778.00'), status: 'correction' });
    expect(await list('cardless', 'bank-statement')).toMatchObject([{ amountSen: 778_00n, status: 'correction' }]);
    await bench.restart();
    expect(await list('cardless', 'bank-statement')).toHaveLength(1);
    await bench.control('DELETE', `history/cardless/rows/${json.id}`);
    expect(await list('cardless', 'bank-statement')).toEqual([]);
  });

  test('a row of the books is dropped and comes again', async () => {
    await pay('7770001234', '');
    const find = async () => (await list('bank-transfer', 'bank-statement')).find(({ remark }) => remark.includes('7770001234'));
    const row = await find();
    await bench.control('DELETE', `history/bank-transfer/rows/${row?.railTransactionId}`);
    expect(await find()).toBeUndefined();
    await bench.control('DELETE', 'history/bank-transfer');
    expect(await find()).toEqual(row);
  });

  test('a wallet tells page after page, also orders that moved nothing', async () => {
    for (let i = 0; i < 51; i++) {
      const row = { at: at(), amount: amount('10.00'), direction: 'in', remark: `PAYMENT ${i}` };
      await bench.control('POST', 'history/ewallet/rows', i === 0 ? { ...row, status: 'canceled' } : row);
    }
    const rows = await list('ewallet', 'transaction-history', 'in');
    expect(rows).toHaveLength(51);
    expect(new Set(rows.map(({ railTransactionId }) => railTransactionId)).size).toBe(51);
    expect(rows.filter(({ status }) => status === 'canceled')).toHaveLength(1);
    const [from, to] = [new Date(Date.now() - HOUR_MS), new Date(Date.now() + HOUR_MS)];
    const { json } = await bench.control('GET', `history/ewallet?from=${from.toISOString()}&to=${to.toISOString()}`);
    expect(toRecord(json).items).toHaveLength(51);
  });

  test.each([
    ['GET', 'history/moon?from=2026-11-21T00:00:00Z&to=2026-11-22T00:00:00Z', undefined, 404],
    ['GET', 'history/va', undefined, 422],
    ['POST', 'history/va/rows', { amount: amount('1.00') }, 422],
    ['PATCH', 'history/va/rows/x', { amount: 5 }, 422],
  ])('%s %s is refused', async (method, path, body, expected) => {
    expect((await bench.control(method, path, body)).status).toBe(expected);
  });
});
