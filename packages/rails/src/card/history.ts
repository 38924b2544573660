import { parseAmount } from '@gerbang/core';
import { z } from 'zod';
import {
  HISTORY_BOUNDS,
  HistoryError,
  type HistoryRow,
  PERIOD_MAX_MS,
  type Period,
  type RailHistory,
} from '../history/history.ts';
import { callWithin } from '../rail-call.ts';
import { openSnapHttp, SnapError, type SnapHttp } from '../snap-http.ts';
import type { AcquirerCredentials } from './rest.ts';
import { signAcquirerCall } from './rest-signature.ts';

const HOUR_MS = 3_600_000;
const CONNECTIONS = 2;
const PAGE_ROWS = 500;
const ANSWER_BYTES_MAX = 2 * 1024 * 1024;

const amountSen = z.object({ value: z.string(), currency: z.literal('IDR') }).transform(({ value }, problem) => {
  const sen = parseAmount(value);
  if (sen !== undefined) return sen;
  problem.addIssue('expected an amount');
  return z.NEVER;
});
const movement = z.object({
  id: z.string().min(1).max(64),
  /** `void`: an authorisation that was given up, which moved nothing; `pending`: one that is not captured. */
  type: z.enum(['capture', 'refund', 'void', 'pending']),
  reference: z.string().max(64),
  amount: amountSen,
  at: z.iso.datetime({ offset: true }).transform((text) => Date.parse(text)),
});
const page = z.object({ items: z.array(movement).max(PAGE_ROWS), next_cursor: z.string().min(1).max(256).nullable() });

export type CardHistoryOptions = AcquirerCredentials & { pageTimeoutMs: number };

/**
 * An acquirer's books over HTTP, signed as its other calls (docs/rails.md, Cards): captures come in, refunds go out. Each names our
 * reference of the payment.
 */
export function openRestCardHistory(options: CardHistoryOptions): RailHistory {
  const base = new URL(options.url);
  const http = openSnapHttp(base.origin, { connections: CONNECTIONS, tlsMin: options.tlsMin ?? '1.3' });
  const prefix = base.pathname.replace(/\/+$/, '');
  return {
    sliceMs: HOUR_MS,
    list: (period, { signal }) => rowsOf(period, (query) => askPage(http, `${prefix}/v1/history?${query}`, options, signal)),
    close: () => http.close(),
  };
}

async function* rowsOf(
  period: Period,
  ask: (query: URLSearchParams) => Promise<z.output<typeof page>>,
): AsyncGenerator<HistoryRow> {
  const { fromMs, toMs } = period;
  if (toMs - fromMs > PERIOD_MAX_MS) throw new Error('a rail lists at most a month at a time');
  const query = new URLSearchParams({
    from: new Date(fromMs).toISOString(),
    to: new Date(toMs).toISOString(),
    limit: String(PAGE_ROWS),
  });
  const cursors = new Set<string>();
  for (let rows = 0; ; ) {
    const { items, next_cursor: cursor } = await ask(query);
    rows += items.length;
    if (rows > HISTORY_BOUNDS.rowsMax) throw new HistoryError(`the acquirer lists more than ${HISTORY_BOUNDS.rowsMax} rows`);
    for (const one of items) if (one.at >= fromMs && one.at < toMs) yield toRow(one);
    if (cursor === null) return;
    // One that comes again would go on for ever, and so would empty pages.
    if (cursors.has(cursor) || items.length === 0) throw new HistoryError('the acquirer’s history has more, but does not go on');
    cursors.add(cursor);
    query.set('cursor', cursor);
  }
}

async function askPage(
  http: SnapHttp,
  path: string,
  { clientKey, clientSecret, pageTimeoutMs }: CardHistoryOptions,
  signal: AbortSignal,
): Promise<z.output<typeof page>> {
  const signed = { method: 'GET' as const, path, timestamp: new Date().toISOString(), body: '' };
  const headers = {
    'x-client-key': clientKey,
    'x-timestamp': signed.timestamp,
    'x-signature': signAcquirerCall(clientSecret, signed),
  };
  const answer = await callWithin(pageTimeoutMs, (timeout) =>
    http.send({
      ...{ method: signed.method, path, headers, body: '', answerBytesMax: ANSWER_BYTES_MAX },
      signal: AbortSignal.any([signal, timeout]),
    }),
  ).catch((error: unknown) => {
    throw error instanceof SnapError ? new HistoryError(error.message, { cause: error }) : error;
  });
  if (answer.httpStatus !== 200) throw new HistoryError(`the acquirer does not tell its history: HTTP ${answer.httpStatus}`);
  const read = page.safeParse(answer.json);
  if (!read.success) throw new HistoryError('the acquirer’s history cannot be read');
  return read.data;
}

/** A refund is a movement of its own: it may come months after its capture. */
function toRow({ id, type, reference, amount, at }: z.output<typeof movement>): HistoryRow {
  const status = { capture: 'booked', refund: 'booked', void: 'canceled', pending: 'open' } as const;
  return {
    atMs: at,
    amountSen: amount,
    direction: type === 'refund' ? 'out' : 'in',
    status: status[type],
    remark: reference,
    ourReference: reference,
    railTransactionId: id,
  };
}
