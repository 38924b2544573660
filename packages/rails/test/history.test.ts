import { describe, expect, it } from 'vitest';
import { HistoryError, type HistoryRow } from '../src/history/history.ts';
import { createSnapHistory, type HistoryStyle } from '../src/history/snap-history.ts';
import { aspi } from '../src/providers/aspi.ts';
import { bca } from '../src/providers/bca.ts';
import type { SnapCall } from '../src/snap-client.ts';

const DAY = { fromMs: Date.parse('2026-11-21T00:00:00+07:00'), toMs: Date.parse('2026-11-22T00:00:00+07:00') };
const OPTIONS = { account: '123', moves: 'out' as const, pageTimeoutMs: 1_000 };

/** A rail that answers what the test says, in turn, and remembers what it was asked. */
function scripted(style: HistoryStyle, answers: object[], http = 200, provider = aspi) {
  const asked: object[] = [];
  const history = createSnapHistory(
    {
      async post({ body, service }: SnapCall) {
        asked.push(body);
        const next = answers[asked.length - 1] ?? {};
        return { httpStatus: http, responseCode: `${http}${service.code}00`, caseCode: '00', message: 'm', body: next };
      },
      close: async () => {},
    },
    { style, provider, ...OPTIONS },
    () => 0,
  );
  return { history, asked };
}

async function all(rows: AsyncIterable<HistoryRow>): Promise<HistoryRow[]> {
  const found: HistoryRow[] = [];
  for await (const row of rows) found.push(row);
  return found;
}

const idr = (value: string) => ({ value, currency: 'IDR' });
const signal = new AbortController().signal;

describe('SNAP 12', () => {
  const row = (over: object = {}) => ({
    dateTime: '2026-11-21T10:00:00+07:00',
    amount: idr('15000.00'),
    remark: 'TOPUP 62812',
    status: 'SUCCESS',
    type: 'TOP_UP',
    ...over,
  });

  it('asks page after page, with both bounds, until one is not full', async () => {
    const { history, asked } = scripted('transaction-history', [
      { detailData: Array.from({ length: 50 }, () => row()) },
      { detailData: [row()] },
    ]);
    const rows = await all(history.list(DAY, { signal }));
    expect(rows).toHaveLength(51);
    expect(rows[0]).toEqual({
      atMs: Date.parse('2026-11-21T10:00:00+07:00'),
      amountSen: 15_000_00n,
      direction: 'out',
      status: 'booked',
      remark: 'TOPUP 62812',
      railTransactionId: '',
    });
    expect(asked).toMatchObject([
      { fromDateTime: '2026-11-21T00:00:00+07:00', toDateTime: '2026-11-21T23:59:59+07:00', pageSize: 50, pageNumber: 0 },
      { pageNumber: 1 },
    ]);
  });

  it.each([
    [{ type: 'SEND_MONEY' }, 'out', 'booked'],
    [{ type: 'RECEIVE_MONEY' }, 'in', 'booked'],
    [{ type: 'REFUND' }, 'in', 'correction'],
    [{ type: 'NEVER_HEARD_OF' }, 'out', 'booked'],
    [{ status: 'INIT' }, 'out', 'open'],
    [{ status: 'CANCELLED' }, 'out', 'canceled'],
    [{ status: 'CLOSED' }, 'out', 'canceled'],
  ])('reads %j as %s, %s', async (over, direction, status) => {
    const { history } = scripted('transaction-history', [{ detailData: [row(over)] }]);
    expect(await all(history.list(DAY, { signal }))).toMatchObject([{ direction, status }]);
  });

  it('leaves out what a rail that lists whole days gives beyond the period', async () => {
    const { history } = scripted('transaction-history', [
      { detailData: [row({ dateTime: '2026-11-22T00:00:00+07:00' }), row()] },
    ]);
    expect(await all(history.list(DAY, { signal }))).toHaveLength(1);
  });
});

describe('SNAP 14', () => {
  const row = (second: string, id: string, over: object = {}) => ({
    transactionDate: `2026-11-21T10:00:${second}+07:00`,
    amount: idr('15000.00'),
    remark: 'TRSF',
    transactionId: id,
    type: 'DEBIT',
    transactionDetailStatus: 'SUCCESS',
    ...over,
  });

  it('continues from the last record, and takes what comes again with its second only once', async () => {
    const { history, asked } = scripted('bank-statement', [
      { detailData: [row('09', 'a'), row('08', 'b')], hasMore: 'Y', lastRecordDateTime: '2026-11-21T10:00:08+07:00' },
      { detailData: [row('08', 'c'), row('08', 'b'), row('07', 'd')], hasMore: 'N' },
    ]);
    const rows = await all(history.list(DAY, { signal }));
    expect(rows.map(({ railTransactionId }) => railTransactionId)).toEqual(['a', 'b', 'c', 'd']);
    expect(asked).toMatchObject([
      { accountNo: '123', toDateTime: '2026-11-21T23:59:59+07:00' },
      { accountNo: '123', fromDateTime: '2026-11-21T00:00:00+07:00', toDateTime: '2026-11-21T10:00:08+07:00' },
    ]);
  });

  it('asks a bank that lists whole days for whole days, and leaves out what it gives too much', async () => {
    const answer = { detailData: [row('09', 'a'), row('08', 'b', { transactionDate: '2026-11-21T23:30:00+07:00' })] };
    const { history, asked } = scripted('bank-statement', [answer], 200, bca);
    const period = { fromMs: Date.parse('2026-11-21T23:00:00+07:00'), toMs: Date.parse('2026-11-22T01:00:00+07:00') };
    expect(await all(history.list(period, { signal }))).toMatchObject([{ railTransactionId: 'b' }]);
    expect(asked).toMatchObject([{ fromDateTime: '2026-11-21T00:00:00+07:00', toDateTime: '2026-11-22T23:59:59+07:00' }]);
  });

  it('keeps two rows that are alike', async () => {
    const { history } = scripted('bank-statement', [{ detailData: [row('09', ''), row('09', '')] }]);
    expect(await all(history.list(DAY, { signal }))).toHaveLength(2);
  });

  it('reads credits, and both spellings of a correction', async () => {
    const { history } = scripted('bank-statement', [
      {
        detailData: [
          row('09', 'a', { type: 'CREDIT' }),
          row('08', 'b', { type: 'CREDIT', transactionDetailStatus: 'ERROR CORECTION' }),
          row('07', 'c', { type: 'CREDIT', transactionDetailStatus: 'ERROR CORRECTION' }),
        ],
      },
    ]);
    const rows = await all(history.list(DAY, { signal }));
    expect(rows.map(({ direction, status }) => `${direction} ${status}`)).toEqual([
      'in booked',
      'in correction',
      'in correction',
    ]);
  });

  it('fails where a bank has more and does not go on', async () => {
    const same = { detailData: [row('09', 'a')], hasMore: 'Y', lastRecordDateTime: '2026-11-21T10:00:09+07:00' };
    const { history } = scripted('bank-statement', [same, same]);
    await expect(all(history.list(DAY, { signal }))).rejects.toThrow('does not go on');
  });
});

describe('a history that cannot be read', () => {
  it.each(['transaction-history', 'bank-statement'] as const)('%s: is an error, and no empty list', async (style) => {
    const broken = scripted(style, [{ detailData: [{ amount: 'much' }] }]).history;
    await expect(all(broken.list(DAY, { signal }))).rejects.toThrow(HistoryError);
    const refused = scripted(style, [{}], 429).history;
    await expect(all(refused.list(DAY, { signal }))).rejects.toThrow('does not tell its history: 429');
  });
});
