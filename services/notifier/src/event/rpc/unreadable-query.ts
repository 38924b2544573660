import { RefusalError, refuseField } from '@gerbang/core';
import type { EventFilter } from '@gerbang/proto/gerbang/notifier/v1/notifier';
import { decodeCursor } from '@gerbang/store';
import type { UnreadableQuery } from '../unreadable-store.ts';

/** A request's filter and cursor as a query for a page. Refusals: validation (cursor). */
export function unreadableQuery(filter: EventFilter | undefined, cursor: string, limit: number): UnreadableQuery {
  return {
    id: filter?.id || undefined,
    service: filter?.service || undefined,
    type: filter?.type || undefined,
    fromMs: filter?.fromMs === undefined ? undefined : Number(filter.fromMs),
    toMs: filter?.toMs === undefined ? undefined : Number(filter.toMs),
    after: cursor === '' ? undefined : readCursor(cursor),
    limit,
  };
}

function readCursor(cursor: string): string {
  const key = decodeCursor(cursor);
  if (key === undefined) throw new RefusalError(refuseField('cursor', 'is not a cursor of this list'));
  return key;
}
