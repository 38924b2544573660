import { RefusalError, refuse, refuseField } from '@gerbang/core';
import { decodeCursor } from '@gerbang/store';
import type { Context } from '../context.ts';
import { PARTITION } from '../partition/name.ts';
import { ID } from '../posting/account.ts';
import { type Position, readPosition } from './position.ts';

const LIMIT_MAX = 1_000;
/** The latest time that a Date can be. */
const MS_MAX = 8_640_000_000_000_000n;
/** How long a question waits for the projections; its caller may ask again. */
const WAIT_MS = 3_000;

type ListRequest = {
  merchantId: string;
  partition: string;
  limit: number;
  cursor: string;
  fromMs?: bigint | undefined;
  toMs?: bigint | undefined;
};

/**
 * What every listing of postings begins with: checks the request, and waits until the projections have what was there when it was
 * asked. A page after the first needs only what its cursor has seen. Limits are brought into 1 to 1,000. Refusals: validation
 * (partition, merchant_id, cursor, from_ms, to_ms), unavailable (another instance holds the partition, or not in time), timeout.
 */
export async function openWindow(context: Context, request: ListRequest, signal: AbortSignal) {
  if (!PARTITION.test(request.partition)) throw wrong('partition', 'is not the name of a partition');
  if (!ID.test(request.merchantId)) throw wrong('merchant_id', 'is not an id');
  const before = readBefore(request.cursor);
  const [fromMs, toMs] = [readTime('from_ms', request.fromMs), readTime('to_ms', request.toMs)];
  const partition = await context.partitions.get(request.partition, signal);
  const lastSeq = partition.lastSeq();
  // If no instance can have taken over by now, none had when the last batch was read.
  if (!context.lease()?.isValid()) throw new RefusalError(refuse('unavailable', { retryAfterMs: 200 }));
  const upToSeq = before !== undefined && before.seq < lastSeq ? before.seq : lastSeq;
  await partition.projected(upToSeq, AbortSignal.any([signal, AbortSignal.timeout(WAIT_MS)]));
  const limit = Math.min(Math.max(request.limit, 1), LIMIT_MAX);
  return { partition: partition.name, upToSeq, limit, before, fromMs, toMs };
}

/** Where the page before ended; undefined for the first page. */
function readBefore(cursor: string): Position | undefined {
  if (cursor === '') return undefined;
  const before = readPosition(decodeCursor(cursor) ?? '');
  if (before === undefined) throw wrong('cursor', 'is not a cursor of this list');
  return before;
}

function readTime(field: string, ms: bigint | undefined): number | undefined {
  if (ms === undefined) return undefined;
  if (ms > MS_MAX || ms < -MS_MAX) throw wrong(field, 'is no time');
  return Number(ms);
}

function wrong(field: string, message: string): RefusalError {
  return new RefusalError(refuseField(field, message));
}
