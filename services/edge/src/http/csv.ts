import type { Money } from '@gerbang/core';
import type { Context } from '../context.ts';
import type { Call, CsvAnswer } from './call.ts';
import { takePermit } from './csv-stream.ts';

/** Rows asked for at a time: what a stream holds in memory for one caller. */
export const CSV_PAGE_ROWS = 1_000;

/** A page may wait for a partition's takeover; the caller's stream just pauses meanwhile. */
export const CSV_PAGE_TIMEOUT_MS = 30_000;

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
  const ended = takePermit(context, merchantId);
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
