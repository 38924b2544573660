import type { EventFilter, ReplayEventsRequest } from '@gerbang/proto/gerbang/notifier/v1/notifier';
import type { OperatorCall } from '@gerbang/service/operators';
import type { Context } from '../../context.ts';
import { replay } from '../replay.ts';
import { findUnreadable } from './find-unreadable.ts';

/** So few at a time that a call ends within its deadline. */
const PAGE = 100;

/**
 * Replays a page of the events that cannot be read or rendered. The audit log has the filter of each page. Refusals: validation
 * (cursor), unavailable, timeout.
 */
export async function replayEvents(context: Context, { filter, cursor }: ReplayEventsRequest, call: OperatorCall) {
  const { items, nextCursor } = await findUnreadable(context, { filter, cursor, limit: PAGE });
  const id = filter?.id || undefined;
  call.record({ target: id === undefined ? 'events' : `event:${id}`, after: { ...describe(filter), events: items.length } });
  return { events: await replay(context, items), nextCursor };
}

/** The filter as the audit log shows it. */
function describe(filter: EventFilter | undefined) {
  const moment = (ms: bigint | undefined) => (ms === undefined ? null : new Date(Number(ms)).toISOString());
  return {
    id: filter?.id || null,
    service: filter?.service || null,
    type: filter?.type || null,
    from: moment(filter?.fromMs),
    to: moment(filter?.toMs),
  };
}
