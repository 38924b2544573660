import type { EventFilter } from '@gerbang/proto/gerbang/notifier/v1/notifier';
import { findPage, readPage } from '@gerbang/store';
import type { Context } from '../../context.ts';
import type { Unreadable, UnreadableFilter } from '../unreadable-event.ts';

/**
 * A page of the events that a request asks for, the oldest first, and the cursor of the next page. Refusals: validation (cursor).
 */
export function findUnreadable(
  { unreadable }: Context,
  { filter, cursor, limit }: { filter?: EventFilter | undefined; cursor: string; limit: number },
): Promise<{ items: Unreadable[]; nextCursor: string }> {
  const query = toFilter(filter);
  // This list goes forward: the key in its cursor is the one that the page comes after.
  const { before: after } = readPage({ limit: 0, cursor });
  return findPage(
    { limit, before: after },
    (page) => unreadable.list({ ...query, after: page.before, limit: page.limit }),
    ({ id }) => id,
  );
}

function toFilter(filter: EventFilter | undefined): UnreadableFilter {
  return {
    id: filter?.id || undefined,
    service: filter?.service || undefined,
    type: filter?.type || undefined,
    fromMs: filter?.fromMs === undefined ? undefined : Number(filter.fromMs),
    toMs: filter?.toMs === undefined ? undefined : Number(filter.toMs),
  };
}
