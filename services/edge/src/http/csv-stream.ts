import { Readable } from 'node:stream';
import { RefusalError, refuse } from '@gerbang/core';
import type { Permits } from '@gerbang/runtime';
import type { LimitMetrics } from '@gerbang/service';
import type { FastifyReply } from 'fastify';
import { OVERLOADED } from './admission.ts';
import type { CsvAnswer } from './call.ts';

/** When a merchant with too many CSVs under way may come again. */
const RETRY_AFTER_MS = 5_000;

/** How many CSVs may be under way, by merchant, and in how long a reader has to take a page. */
export type CsvStreams = { permits: Permits; readTimeoutMs: number };

/** Takes a permit of the merchant; gives what returns it, once. Refusals: rate_limited, overloaded. */
export function takePermit(
  { csvStreams, limitMetrics }: { csvStreams: CsvStreams; limitMetrics: LimitMetrics },
  merchantId: string,
): () => void {
  const refused = csvStreams.permits.take(merchantId);
  if (refused === undefined) return once(() => csvStreams.permits.give(merchantId));
  limitMetrics.refused('http', refused === 'all' ? 'CSV streams' : 'CSV streams of a merchant');
  if (refused === 'all') throw new RefusalError(OVERLOADED);
  const message = 'Too many lists of this merchant are under way as CSV';
  throw new RefusalError(refuse('rate_limited', { message, retryAfterMs: RETRY_AFTER_MS }));
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
  // A page may still come after the caller has gone.
  const paged = eachOf(csv, () => (raw.destroyed ? undefined : timeout.refresh()));
  return reply.type('text/csv; charset=utf-8').send(Readable.from(paged, { objectMode: false }));
}

/** Tells of each page when it is there, and when it has been taken. */
async function* eachOf(pages: AsyncIterable<string>, moved: () => unknown): AsyncGenerator<string> {
  for await (const page of pages) {
    moved();
    yield page;
    moved();
  }
}

function once(work: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) work();
    isDone = true;
  };
}
