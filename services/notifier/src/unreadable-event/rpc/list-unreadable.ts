import type { ListUnreadableRequest } from '@gerbang/proto/gerbang/notifier/v1/notifier';
import type { Context } from '../../context.ts';
import { toMessage } from '../message.ts';
import { findUnreadable } from './find-unreadable.ts';

const LIMIT_DEFAULT = 100;
const LIMIT_MAX = 1_000;

/** Events that cannot be read or rendered, the oldest first. Refusals: validation (cursor). */
export async function listUnreadable(context: Context, { filter, cursor, limit }: ListUnreadableRequest) {
  const page = { filter, cursor, limit: Math.min(Math.max(limit === 0 ? LIMIT_DEFAULT : limit, 1), LIMIT_MAX) };
  const { items, nextCursor } = await findUnreadable(context, page);
  return { events: items.map(toMessage), nextCursor };
}
