import { JAKARTA_OFFSET_MS } from '@gerbang/core';
import { aspi } from '../providers/aspi.ts';
import { type SnapService, serviceOf } from '../providers/provider.ts';
import type { ServiceName } from '../providers/services.ts';
import { callWithin } from '../rail-call.ts';
import { newExternalId } from '../snap-call.ts';
import { openSnapClient, type SnapAnswer, type SnapClient, type SnapCredentials, SnapError } from '../snap-client.ts';
import { statementPages } from './bank-statement.ts';
import {
  type AskPage,
  HISTORY_BOUNDS,
  HistoryError,
  type HistoryRow,
  PERIOD_MAX_MS,
  type Period,
  type RailHistory,
} from './history.ts';
import { historyPages } from './transaction-history.ts';

/** The two services by which SNAP tells an account's history. */
const SERVICES = {
  'transaction-history': 'transactionHistory',
  'bank-statement': 'bankStatement',
} as const satisfies Record<string, ServiceName>;

export type HistoryStyle = keyof typeof SERVICES;

export type SnapHistoryOptions = SnapCredentials & {
  style: HistoryStyle;
  /** Our account at the rail whose history is read. */
  account: string;
  /** What the rail does for us: it brings money in, or pays it out. */
  moves: HistoryRow['direction'];
  /** How long one page may take. */
  pageTimeoutMs: number;
};

type HistoryOptions = Omit<SnapHistoryOptions, Exclude<keyof SnapCredentials, 'provider'>>;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** One listing at a time; a second connection is for the access token. */
const CONNECTIONS = 2;
/** A page of a statement may have thousands of rows. */
const ANSWER_BYTES_MAX = 8 * 1024 * 1024;

/** A rail that tells its history by SNAP 12 (wallets, acquirers) or 14 (banks). `now` is real time. */
export function openSnapHistory(options: SnapHistoryOptions, now: () => number = Date.now): RailHistory {
  const snap = openSnapClient(options, now, CONNECTIONS);
  return createSnapHistory(snap, options, now);
}

/** The same over a client that is open already. */
export function createSnapHistory(
  snap: Pick<SnapClient, 'post' | 'close'>,
  { provider = aspi, style, account, moves, pageTimeoutMs }: HistoryOptions,
  now: () => number,
): RailHistory {
  const { sliceMs = HOUR_MS } = provider.history ?? {};
  const service = serviceOf(provider, SERVICES[style]);
  const pagesOf = style === 'bank-statement' ? statementPages : historyPages;
  return {
    sliceMs,
    async *list(period, { signal }) {
      if (period.toMs - period.fromMs > PERIOD_MAX_MS) throw new Error('a rail lists at most a month at a time');
      const ask: AskPage = (body) => askPage(snap, service, body, { pageTimeoutMs, signal, now });
      yield* within(pagesOf(ask, { account, moves }, askedPeriod(period, sliceMs)), period);
    },
    close: () => snap.close(),
  };
}

async function askPage(
  snap: Pick<SnapClient, 'post'>,
  service: SnapService,
  body: object,
  { pageTimeoutMs, signal, now }: { pageTimeoutMs: number; signal: AbortSignal; now: () => number },
): Promise<object> {
  const answer = await callWithin(pageTimeoutMs, (timeout) =>
    snap.post({
      service,
      externalId: newExternalId(now()),
      body,
      signal: AbortSignal.any([signal, timeout]),
      answerBytesMax: ANSWER_BYTES_MAX,
    }),
  ).catch((error: unknown) => {
    throw error instanceof SnapError ? new HistoryError(error.message, { cause: error }) : error;
  });
  return bodyOf(answer);
}

function bodyOf({ httpStatus, caseCode, responseCode, message, body }: SnapAnswer): object {
  if (httpStatus === 200 && caseCode === '00') return body;
  throw new HistoryError(`the rail does not tell its history: ${responseCode} ${message.slice(0, 200)}`);
}

/** A rail that lists whole days is asked for days of Asia/Jakarta. */
function askedPeriod({ fromMs, toMs }: Period, sliceMs: number): Period {
  if (sliceMs < DAY_MS) return { fromMs, toMs };
  const dayOf = (ms: number) => (ms + JAKARTA_OFFSET_MS) / DAY_MS;
  return {
    fromMs: Math.floor(dayOf(fromMs)) * DAY_MS - JAKARTA_OFFSET_MS,
    toMs: Math.ceil(dayOf(toMs)) * DAY_MS - JAKARTA_OFFSET_MS,
  };
}

/** The rows of the period: a rail that lists whole days gives more. Bounded. */
async function* within(pages: AsyncIterable<HistoryRow[]>, { fromMs, toMs }: Period): AsyncGenerator<HistoryRow> {
  let rows = 0;
  let count = 0;
  for await (const page of pages) {
    rows += page.length;
    if (rows > HISTORY_BOUNDS.rowsMax || ++count > HISTORY_BOUNDS.pagesMax)
      throw new HistoryError(`the rail lists more than ${HISTORY_BOUNDS.rowsMax} rows or ${HISTORY_BOUNDS.pagesMax} pages`);
    for (const row of page) if (row.atMs >= fromMs && row.atMs < toMs) yield row;
  }
}
