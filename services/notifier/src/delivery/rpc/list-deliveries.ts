import { isUlid, RefusalError, refuseField } from '@gerbang/core';
import type { ListDeliveriesRequest } from '@gerbang/proto/gerbang/notifier/v1/notifier';
import { decodeCursor, encodeCursor } from '@gerbang/store';
import type { Context } from '../../context.ts';
import { toMessage, toStatus } from '../message.ts';

const LIMIT_DEFAULT = 20;
const LIMIT_MAX = 100;

/** A merchant's webhooks, newest event first. Refusals: validation (cursor). */
export async function listDeliveries({ deliveries }: Context, request: ListDeliveriesRequest) {
  const limit = Math.min(Math.max(request.limit === 0 ? LIMIT_DEFAULT : request.limit, 1), LIMIT_MAX);
  const found = await deliveries.list({
    merchantId: request.merchantId,
    limit: limit + 1,
    before: request.cursor === '' ? undefined : readCursor(request.cursor),
    status: toStatus(request.status),
    fromMs: request.fromMs === undefined ? undefined : Number(request.fromMs),
    toMs: request.toMs === undefined ? undefined : Number(request.toMs),
  });
  const page = found.slice(0, limit);
  const last = page.at(-1);
  return {
    deliveries: page.map(toMessage),
    nextCursor: found.length > limit && last !== undefined ? encodeCursor(last.id) : '',
  };
}

function readCursor(cursor: string): string {
  const key = decodeCursor(cursor);
  if (key === undefined || !isUlid(key)) throw new RefusalError(refuseField('cursor', 'is not a cursor of this list'));
  return key;
}
