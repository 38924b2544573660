import type { ListUnreadableRequest } from '@gerbang/proto/gerbang/notifier/v1/notifier';
import { encodeCursor } from '@gerbang/store';
import type { Context } from '../../context.ts';
import type { Unreadable } from '../unreadable-store.ts';
import { unreadableQuery } from './unreadable-query.ts';

const LIMIT_DEFAULT = 100;
const LIMIT_MAX = 1_000;

/** Events that could not be read or rendered, the oldest first. Refusals: validation (cursor). */
export async function listUnreadable({ unreadable }: Context, request: ListUnreadableRequest) {
  const limit = Math.min(Math.max(request.limit === 0 ? LIMIT_DEFAULT : request.limit, 1), LIMIT_MAX);
  const found = await unreadable.list(unreadableQuery(request.filter, request.cursor, limit + 1));
  const page = found.slice(0, limit);
  const last = page.at(-1);
  return {
    events: page.map(toMessage),
    nextCursor: found.length > limit && last !== undefined ? encodeCursor(last.id) : '',
  };
}

function toMessage(item: Unreadable) {
  const { id, service, reason, atMs } = item;
  const common = { id, service, reason, atMs: BigInt(atMs) };
  if (item.kind === 'message') return common;
  const { seq, type, merchantId } = item.event;
  return { ...common, aggregate: item.aggregate, seq, type, merchantId };
}
