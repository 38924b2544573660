import { RefusalError, refuse, refuseField } from '@gerbang/core';
import { decodeCursor, encodeCursor } from '@gerbang/store';
import type { Context } from '../context.ts';
import { PARTITION } from '../partition/name.ts';
import { ID } from '../posting/account.ts';

const LIMIT_MAX = 1_000;
/** The latest time that a Date can be. */
const MS_MAX = 8_640_000_000_000_000n;
/** How long a question waits for the projections; its caller may ask again. */
const WAIT_MS = 3_000;

/** Where a posting stands in its partition for ever: what a cursor says. */
export type Position = { atMs: number; seq: bigint; index: number };

type ListRequest = {
  merchantId: string;
  partition: string;
  limit: number;
  cursor: string;
  fromMs?: bigint | undefined;
  toMs?: bigint | undefined;
};

/**
 * What every listing of postings begins with: checks the request, and waits until the projections have what was there when it was asked. A page after
 * the first needs only what its cursor has seen. Limits are brought into 1 to 1,000.
 * Refusals: validation (partition, merchant_id, cursor, from_ms, to_ms), unavailable (another instance holds the partition, or not in time), timeout.
 */
export async function openWindow(context: Context, request: ListRequest, signal: AbortSignal) {
  if (!PARTITION.test(request.partition)) throw wrong('partition', 'is not the name of a partition');
  if (!ID.test(request.merchantId)) throw wrong('merchant_id', 'is not an id');
  const before = request.cursor === '' ? undefined : readCursor(request.cursor);
  const [fromMs, toMs] = [readTime('from_ms', request.fromMs), readTime('to_ms', request.toMs)];
  const partition = await context.partitions.get(request.partition, signal);
  const lastSeq = partition.lastSeq();
  // If nobody can have taken over by now, nobody had when the last batch was looked at.
  if (!context.lease()?.isValid()) throw new RefusalError(refuse('unavailable', { retryAfterMs: 200 }));
  const upToSeq = before !== undefined && before.seq < lastSeq ? before.seq : lastSeq;
  await partition.projected(upToSeq, AbortSignal.any([signal, AbortSignal.timeout(WAIT_MS)]));
  const limit = Math.min(Math.max(request.limit, 1), LIMIT_MAX);
  return { partition: partition.name, upToSeq, limit, before, fromMs, toMs };
}

/** Cuts what was found with one more than `limit` into a page and the cursor of the next; empty when there is none. */
export function toPage<T extends { at: Date; seq: bigint; index: number }>(found: readonly T[], limit: number) {
  const page = found.slice(0, limit);
  const last = page.at(-1);
  const nextCursor =
    found.length > limit && last !== undefined ? encodeCursor(`${last.at.getTime()}.${last.seq}.${last.index}`) : '';
  return { page, nextCursor };
}

function readCursor(cursor: string): Position {
  const found = /^(\d{1,15})\.(\d{1,16})\.(\d{1,5})$/.exec(decodeCursor(cursor) ?? '');
  if (found === null) throw wrong('cursor', 'is not a cursor of this list');
  const [, atMs = '', seq = '', index = ''] = found;
  return { atMs: Number(atMs), seq: BigInt(seq), index: Number(index) };
}

function readTime(field: string, ms: bigint | undefined): number | undefined {
  if (ms === undefined) return undefined;
  if (ms > MS_MAX || ms < -MS_MAX) throw wrong(field, 'is no time');
  return Number(ms);
}

function wrong(field: string, message: string): RefusalError {
  return new RefusalError(refuseField(field, message));
}
