import { isUlid } from '@gerbang/core';
import type { ListDeliveriesRequest } from '@gerbang/proto/gerbang/notifier/v1/notifier';
import { findPage, readPage } from '@gerbang/store';
import type { Context } from '../../context.ts';
import { toMessage, toStatus } from '../message.ts';

/** A merchant's webhooks, newest event first. Refusals: validation (cursor). */
export async function listDeliveries({ deliveries }: Context, request: ListDeliveriesRequest) {
  const filter = {
    merchantId: request.merchantId,
    status: toStatus(request.status),
    fromMs: request.fromMs === undefined ? undefined : Number(request.fromMs),
    toMs: request.toMs === undefined ? undefined : Number(request.toMs),
  };
  const { items, nextCursor } = await findPage(
    readPage(request, isUlid),
    (page) => deliveries.list({ ...filter, ...page }),
    ({ id }) => id,
  );
  return { deliveries: items.map(toMessage), nextCursor };
}
