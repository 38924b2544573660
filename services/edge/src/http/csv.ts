import { Readable } from 'node:stream';
import { type Money, RefusalError, refuse } from '@gerbang/core';
import type { Permits } from '@gerbang/runtime';
import type { FastifyReply } from 'fastify';
import type { Context } from '../context.ts';
import { OVERLOADED } from './admission.ts';
import type { Call, CsvAnswer } from './call.ts';

/** Rows asked for at a time: what a stream holds in memory for one caller. */
export const CSV_PAGE_ROWS = 1_000;

/** A page may wait for a partition's takeover; the caller's stream just pauses meanwhile. */
export const CSV_PAGE_TIMEOUT_MS = 30_000;

/** When a merchant with too many CSVs under way may come again. */
const RETRY_AFTER_MS = 5_000;

/** For the API's document. */
export const CSV_DESCRIPTION =
  'A header line with the names of the fields, then a line an item (RFC 4180); amounts are decimals.';

export type CsvRow = Record<string, string | Money | null>;

/** `nextCursor` is empty on the last page. */
export type CsvPage = { rows: CsvRow[]; nextCursor: string };

/** What a spreadsheet would execute or would have trimmed before it looks. */
const EXECUTABLE = /^\s*[=+\-@＝＋－＠]/u;
/** Separators of any locale, quotes, line ends, and blanks that a reader may trim. */
const TO_QUOTE = /[",;'\t\r\n]|^\s|\s$/;

/** Whether the caller asks for CSV and not, before that, for JSON. */
export function wantsCsv({ header }: Pick<Call, 'header'>): boolean {
  const types = (header('accept') ?? '').split(',').map((range) => range.split(';')[0]?.trim().toLowerCase());
  return types.find((type) => type === 'text/csv' || type === 'application/json') === 'text/csv';
}

/** How many CSVs may be under way, by merchant, and in how long a reader has to take a page. */
export type CsvStreams = { permits: Permits; readTimeoutMs: number };

/**
 * A list of any length as CSV: a header line, then page after page as fast as the caller reads. The first page is asked for
 * before anything is answered, so that refusals are answers of their own; a later failure cuts the connection, so that no caller
 * takes a part for the whole. The answer holds a permit of the merchant until it has ended. Refusals: rate_limited (too many of
 * the merchant's are under way), overloaded (too many of all), those of `fetchPage`.
 */
export async function answerCsv(
  context: Pick<Context, 'log' | 'csvStreams' | 'limitMetrics'>,
  merchantId: string,
  columns: readonly string[],
  fetchPage: (cursor: string) => Promise<CsvPage>,
): Promise<CsvAnswer> {
  const { log, csvStreams } = context;
  takePermit(context, merchantId);
  const ended = once(() => csvStreams.permits.give(merchantId));
  try {
    const first = await fetchPage('');
    const loggedFetch = (cursor: string) =>
      fetchPage(cursor).catch((error: unknown) => {
        log.error({ err: error }, 'a CSV stream was cut short');
        throw error;
      });
    return { csv: linesOf(columns, first, loggedFetch), readTimeoutMs: csvStreams.readTimeoutMs, ended };
  } catch (error) {
    ended();
    throw error;
  }
}

/**
 * Sends a CSV. By bytes: no more than one page waits for a caller that reads slowly. One that does not take a page in its time is
 * cut off.
 */
export function sendCsv(reply: FastifyReply, { csv, readTimeoutMs, ended }: CsvAnswer): FastifyReply {
  const { raw } = reply;
  const timeout = setTimeout(() => raw.destroy(), readTimeoutMs);
  const end = () => {
    clearTimeout(timeout);
    ended();
  };
  if (raw.destroyed) end();
  else raw.once('close', end);
  const paged = eachOf(csv, () => timeout.refresh());
  return reply.type('text/csv; charset=utf-8').send(Readable.from(paged, { objectMode: false }));
}

/** Tells of each page when it is there, and when it has been taken. */
async function* eachOf(pages: AsyncIterable<string>, moved: () => void): AsyncGenerator<string> {
  for await (const page of pages) {
    moved();
    yield page;
    moved();
  }
}

function takePermit({ csvStreams, limitMetrics }: Pick<Context, 'csvStreams' | 'limitMetrics'>, merchantId: string): void {
  const refused = csvStreams.permits.take(merchantId);
  if (refused === undefined) return;
  limitMetrics.refused('http', refused === 'all' ? 'CSV streams' : 'CSV streams of a merchant');
  if (refused === 'all') throw new RefusalError(OVERLOADED);
  const message = 'Too many lists of this merchant are under way as CSV';
  throw new RefusalError(refuse('rate_limited', { message, retryAfterMs: RETRY_AFTER_MS }));
}

function once(work: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) work();
    isDone = true;
  };
}

async function* linesOf(columns: readonly string[], first: CsvPage, fetchPage: (cursor: string) => Promise<CsvPage>) {
  yield `${columns.join(',')}\r\n`;
  for (let page = first; ; page = await fetchPage(page.nextCursor)) {
    if (page.rows.length > 0) yield page.rows.map((row) => lineOf(columns, row)).join('');
    if (page.nextCursor === '') return;
  }
}

function lineOf(columns: readonly string[], row: CsvRow): string {
  const cells = columns.map((column) => {
    const value = row[column];
    if (value === undefined) throw new Error(`a row has no ${column}`);
    if (value === null) return '';
    return typeof value === 'string' ? cellOf(value) : value.value;
  });
  return `${cells.join(',')}\r\n`;
}

/** A text as a cell (RFC 4180); one that a spreadsheet would take for a formula has an apostrophe before it. */
function cellOf(text: string): string {
  const safe = EXECUTABLE.test(text) ? `'${text}` : text;
  return TO_QUOTE.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
