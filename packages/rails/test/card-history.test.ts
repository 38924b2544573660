import { createServer, type IncomingMessage, type Server } from 'node:http';
import { afterEach, expect, test } from 'vitest';
import { openRestCardHistory } from '../src/card/history.ts';
import { signAcquirerCall } from '../src/card/rest-signature.ts';
import { HistoryError, type HistoryRow } from '../src/history/history.ts';

const FROM_MS = Date.parse('2026-11-21T00:00:00Z');
const PERIOD = { fromMs: FROM_MS, toMs: FROM_MS + 3_600_000 };
const closing: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** An acquirer that answers each request as the test says. */
async function acquirer(answer: (request: IncomingMessage, query: URLSearchParams) => { http?: number; body: unknown }) {
  const server: Server = createServer((request, response) => {
    const { http = 200, body } = answer(request, new URL(request.url ?? '', 'http://acquirer').searchParams);
    response.writeHead(http, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : expect.fail('no port');
  const options = { url: `http://127.0.0.1:${port}/api/`, clientKey: 'k', clientSecret: 's', pageTimeoutMs: 5_000 };
  const history = openRestCardHistory(options);
  closing.push(
    () => history.close(),
    () => new Promise((closed) => server.close(closed)),
  );
  return async () => {
    const rows: HistoryRow[] = [];
    for await (const row of history.list(PERIOD, { signal: AbortSignal.timeout(10_000) })) rows.push(row);
    return rows;
  };
}

const item = (i: number, over: object = {}) => ({
  id: `t${i}`,
  type: 'capture',
  reference: `99A${i}`,
  amount: { value: '2500.50', currency: 'IDR' },
  at: new Date(FROM_MS + i * 1_000).toISOString(),
  ...over,
});

test('pages are asked for one after the other, signed with their query; rows outside of the period are left out', async () => {
  const paths: string[] = [];
  const list = await acquirer(({ url = '', headers }, query) => {
    paths.push(url);
    const signed = { method: 'GET', path: url, timestamp: String(headers['x-timestamp']), body: '' };
    if (headers['x-client-key'] !== 'k' || headers['x-signature'] !== signAcquirerCall('s', signed))
      return { http: 401, body: {} };
    if (query.get('cursor') !== 't2') return { body: { items: [item(1), item(2, { type: 'void' })], next_cursor: 't2' } };
    return { body: { items: [item(3, { type: 'refund' }), item(-1), item(3_600)], next_cursor: null } };
  });
  const rows = await list();
  expect(rows.map(({ ourReference, direction, status }) => `${ourReference} ${direction} ${status}`)).toEqual([
    '99A1 in booked',
    '99A2 in canceled',
    '99A3 out booked',
  ]);
  expect(rows[0]).toMatchObject({ amountSen: 2_500_50n, atMs: FROM_MS + 1_000, railTransactionId: 't1', remark: '99A1' });
  expect(paths).toHaveLength(2);
  expect(paths[0]).toContain('/api/v1/history?from=2026-11-21T00%3A00%3A00.000Z&to=2026-11-21T01%3A00%3A00.000Z');
});

test.each<[string, { http?: number; body: unknown }, string]>([
  ['an error', { http: 503, body: {} }, 'HTTP 503'],
  ['what is no history', { body: { items: [item(1, { amount: { value: '1', currency: 'USD' } })] } }, 'cannot be read'],
  ['the same page again and again', { body: { items: [item(1)], next_cursor: 'a' } }, 'does not go on'],
  ['empty pages without an end', { body: { items: [], next_cursor: 'a' } }, 'does not go on'],
])('%s fails the reading', async (_what, answer, message) => {
  const list = await acquirer(() => answer);
  const failed = await list().catch((error: unknown) => error);
  expect(failed).toBeInstanceOf(HistoryError);
  expect(String(failed)).toContain(message);
});
