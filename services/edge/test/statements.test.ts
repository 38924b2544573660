import { create } from '@bufbuild/protobuf';
import { RefusalError, refuse, refuseField } from '@gerbang/core';
import { type Entry, EntrySchema, EntryType, SettlementSchema } from '@gerbang/proto/gerbang/ledger/v1/ledger';
import { eventually } from '@gerbang/testkit';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Edge, startEdge } from './edge-harness.ts';
import type { FakeMerchant } from './fake-services.ts';

const ENTRY = '0123456789abcdef0123456789abcdef';

let edge: Edge;
let merchant: FakeMerchant;
let path: string;
beforeAll(async () => {
  edge = await startEdge();
});
afterAll(() => edge.close());
beforeEach(() => {
  merchant = edge.merchant();
  path = `/api/v1.0/account-statements/${merchant.accountIds[0]}`;
  edge.fakes.statement = {};
});
const get = (to: string, headers: Record<string, string> = {}) =>
  edge.send('GET', to, { headers: { ...edge.signedIn(merchant), ...headers } });
const getCsv = (to: string, signal?: AbortSignal) =>
  fetch(edge.url + to, {
    headers: { ...edge.signedIn(merchant), accept: 'text/csv' },
    ...(signal !== undefined && { signal }),
  });
const lastRequest = () => Object(edge.fakes.calls.at(-1)?.request);
const pagesAsked = () => edge.fakes.calls.filter(({ request }) => Object(request).accountId === merchant.accountIds[0]).length;

const entryOf = (over: Partial<Omit<Entry, '$typeName' | '$unknown'>> = {}) =>
  create(EntrySchema, {
    id: ENTRY,
    accountId: '01ARZ3NDEKTSV4RRFFQ69G5FAV',
    type: EntryType.DEBIT,
    amountSen: 10_050n,
    feeSen: 50n,
    balanceAfterSen: 0n,
    product: 'disbursement',
    transactionId: 't-1',
    referenceNumber: 'r-1',
    postedAtMs: 1_800_000_000_000n,
    ...over,
  });

describe('account-statements', () => {
  test('as JSON, newest first, with filters and cursor', async () => {
    edge.fakes.statement.listEntries = async () => ({ entries: [entryOf()], nextCursor: 'n' });
    const reply = await get(`${path}?limit=5&cursor=c&type=debit&from=2026-11-21T00:00:00Z&to=2026-11-22T00:00:00Z`);
    expect(reply.json).toEqual({
      status: 200,
      success: true,
      data: {
        items: [
          {
            id: ENTRY,
            account_id: '01ARZ3NDEKTSV4RRFFQ69G5FAV',
            type: 'debit',
            amount: { value: '100.50', currency: 'IDR' },
            fee: { value: '0.50', currency: 'IDR' },
            balance_after: { value: '0.00', currency: 'IDR' },
            product: 'disbursement',
            transaction_id: 't-1',
            reference_number: 'r-1',
            description: null,
            posted_at: '2027-01-15T08:00:00.000Z',
          },
        ],
        next_cursor: 'n',
      },
    });
    expect(lastRequest()).toMatchObject({
      merchantId: merchant.merchantId,
      partition: 'p7',
      accountId: merchant.accountIds[0],
      limit: 5,
      cursor: 'c',
      type: EntryType.DEBIT,
      fromMs: BigInt(Date.parse('2026-11-21T00:00:00Z')),
      toMs: BigInt(Date.parse('2026-11-22T00:00:00Z')),
    });
    await get(path, { accept: 'application/json, text/csv;q=0.5' });
    expect(lastRequest()).toMatchObject({ limit: 20, cursor: '', type: EntryType.UNSPECIFIED });
  });

  test.each(['type=both', 'type=credit&type=debit', 'limit=0', 'from=x'])('?%s is wrong', async (query) => {
    const field = query.split('=')[0] ?? '';
    const before = edge.fakes.calls.length;
    expect((await get(`${path}?${query}`)).json).toMatchObject({
      status: 422,
      error: { errors: { [field]: expect.any(Array) } },
    });
    expect(edge.fakes.calls.slice(before).map(({ method }) => method)).not.toContain('listEntries');
  });

  test('another merchant’s account is a 403, an unknown one a 404', async () => {
    expect((await get(`/api/v1.0/account-statements/${edge.merchant().accountIds[0]}`)).http).toBe(403);
    expect((await get('/api/v1.0/account-statements/01ARZ3NDEKTSV4RRFFQ69G5FAV')).http).toBe(404);
    expect((await get('/api/v1.0/account-statements/x', { accept: 'text/csv' })).http).toBe(404);
  });

  test('refusals of the ledger are answers of their own, also of a CSV', async () => {
    edge.fakes.statement.listEntries = async ({ cursor }) => {
      throw new RefusalError(cursor === '' ? refuse('vendor_inactive') : refuseField('cursor', 'is not a cursor of this list'));
    };
    const refused = await get(path, { accept: 'text/csv' });
    expect([refused.http, refused.json.success]).toEqual([503, false]);
    expect((await get(`${path}?cursor=garbage`)).json).toMatchObject({ error: { errors: { cursor: [expect.any(String)] } } });
  });
});

describe('CSV', () => {
  const header = 'id,account_id,type,amount,fee,balance_after,product,transaction_id,reference_number,description,posted_at';

  test('has a header line, also when there is nothing', async () => {
    edge.fakes.statement.listEntries = async () => ({});
    const reply = await getCsv(path);
    expect(reply.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(reply.headers.get('x-request-id')).toMatch(/^[0-9a-f]{32}$/);
    expect(await reply.text()).toBe(`${header}\r\n`);
  });

  test('goes through all pages, whatever the limit', async () => {
    edge.fakes.statement.listEntries = async ({ cursor }) => {
      const n = Number(cursor);
      return { entries: [entryOf({ id: `e-${n}` })], nextCursor: n < 4 ? String(n + 1) : '' };
    };
    const text = await (await getCsv(`${path}?limit=1&type=credit`)).text();
    const lines = text.split('\r\n');
    expect(lines.slice(1).map((line) => line.split(',')[0])).toEqual(['e-0', 'e-1', 'e-2', 'e-3', 'e-4', '']);
    expect(lines[1]).toBe('e-0,01ARZ3NDEKTSV4RRFFQ69G5FAV,debit,100.50,0.50,0.00,disbursement,t-1,r-1,,2027-01-15T08:00:00.000Z');
    expect(lastRequest()).toMatchObject({ limit: 1_000, type: EntryType.CREDIT, cursor: '4' });
  });

  test.each([
    ['plain', 'stok ayam', 'stok ayam'],
    ['a comma', 'a,b', '"a,b"'],
    ['quotes', 'kata "ini"', '"kata ""ini"""'],
    ['a line end', 'a\nb', '"a\nb"'],
    ['a semicolon', 'a;=b', '"a;=b"'],
    ['a formula', '=HYPERLINK("http://x")', '"\'=HYPERLINK(""http://x"")"'],
    ['a plus', '+62812', '"\'+62812"'],
    ['a minus', '-1', '"\'-1"'],
    ['an at', '@SUM(A1)', '"\'@SUM(A1)"'],
    ['a tab before a formula', '\t=1', '"\'\t=1"'],
    ['a full-width equals sign', '＝1', '"\'＝1"'],
    ['an equals sign inside', 'a=1', 'a=1'],
  ])('%s', async (_what, description, cell) => {
    edge.fakes.statement.listEntries = async () => ({ entries: [entryOf({ description })] });
    const text = await (await getCsv(path)).text();
    expect(text).toContain(`,r-1,${cell},2027-01-15T08:00:00.000Z\r\n`);
  });

  test('is cut, and not ended, when a later page fails', async () => {
    edge.fakes.statement.listEntries = async ({ cursor }) => {
      if (cursor !== '') throw new RefusalError(refuse('internal'));
      return { entries: [entryOf()], nextCursor: 'n' };
    };
    const reply = await getCsv(path);
    expect(reply.status).toBe(200);
    await expect(reply.text()).rejects.toThrow();
  });

  test('goes as fast as it is read, and stops when the reader has gone', async () => {
    const entries = Array.from({ length: 1_000 }, (_, i) => entryOf({ id: `e-${i}`, description: 'x'.repeat(200) }));
    let handled = 0;
    edge.fakes.statement.listEntries = async () => {
      handled++;
      return { entries, nextCursor: 'more' };
    };
    const leaving = new AbortController();
    const reply = await getCsv(path, leaving.signal);
    const reader = reply.body?.getReader();
    await reader?.read();
    // Socket buffers take some pages; then nothing more is asked for, though the list never ends.
    let seen = -1;
    await eventually('standstill', async () => {
      const before = handled;
      for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
      const still = before === handled && before === seen;
      seen = handled;
      return still;
    });
    expect(handled).toBeLessThan(200);
    const at = handled;
    await reader?.read();
    leaving.abort();
    const metrics = () => fetch(`http://127.0.0.1:${edge.service.adminPort}/metrics`).then((answer) => answer.text());
    await eventually('its end', async () => /account-statements[^\n]*status="499"/.test(await metrics()));
    expect(handled).toBeLessThan(at + 200);
    expect(pagesAsked()).toBeGreaterThan(0);
  });
});

describe('settlement-transactions', () => {
  const list = '/api/v1.0/settlement-transactions';
  const settlement = create(SettlementSchema, {
    id: ENTRY,
    accountId: '01ARZ3NDEKTSV4RRFFQ69G5FAV',
    product: 'qris',
    transactionId: 't-1',
    amountSen: 10_000n,
    feeSen: 70n,
    netAmountSen: 9_930n,
    settledAtMs: 1_800_000_000_000n,
  });

  test('as JSON, of all accounts or one', async () => {
    edge.fakes.statement.listSettlements = async () => ({ settlements: [settlement] });
    expect((await get(`${list}?product=qris&account_id=${merchant.accountIds[1]}`)).json.data).toEqual({
      items: [
        {
          id: ENTRY,
          account_id: '01ARZ3NDEKTSV4RRFFQ69G5FAV',
          product: 'qris',
          transaction_id: 't-1',
          reference_number: null,
          amount: { value: '100.00', currency: 'IDR' },
          fee: { value: '0.70', currency: 'IDR' },
          net_amount: { value: '99.30', currency: 'IDR' },
          settled_at: '2027-01-15T08:00:00.000Z',
        },
      ],
      next_cursor: null,
    });
    expect(lastRequest()).toMatchObject({ partition: 'p7', accountId: merchant.accountIds[1], product: 'qris', limit: 20 });
    await get(list);
    expect(lastRequest()).toMatchObject({ merchantId: merchant.merchantId, accountId: '', product: '' });
    expect((await get(`${list}?account_id=${edge.merchant().accountIds[0]}`)).http).toBe(403);
    expect((await get(`${list}?account_id=x`)).http).toBe(404);
  });

  test('as CSV', async () => {
    edge.fakes.statement.listSettlements = async () => ({ settlements: [settlement] });
    expect(await (await getCsv(list)).text()).toBe(
      'id,account_id,product,transaction_id,reference_number,amount,fee,net_amount,settled_at\r\n' +
        `${ENTRY},01ARZ3NDEKTSV4RRFFQ69G5FAV,qris,t-1,,100.00,0.70,99.30,2027-01-15T08:00:00.000Z\r\n`,
    );
  });
});
