import { RefusalError, refuseField } from '@gerbang/core';
import type { EventFilter, ReplayEventsRequest } from '@gerbang/proto/gerbang/notifier/v1/notifier';
import type { Context } from '../../context.ts';
import { replay } from '../replay.ts';
import { findUnreadable } from './find-unreadable.ts';

/** So few at a time that a call ends within its deadline. */
const PAGE = 100;

/**
 * Replays a page of the events that cannot be read or rendered. The audit log has the command before it takes effect, once for
 * all pages. Refusals: validation (operator, cursor), unavailable, timeout.
 */
export async function replayEvents(context: Context, { operator, filter, cursor }: ReplayEventsRequest) {
  if (operator === '') throw new RefusalError(refuseField('operator', 'is required'));
  const { items, nextCursor } = await findUnreadable(context, { filter, cursor, limit: PAGE });
  if (cursor === '') {
    const entry = { operator, command: 'events.replay', target: filter?.id || 'events', before: null, after: describe(filter) };
    // The times of the audit log are real ones.
    await context.audit.append(entry, Date.now());
  }
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
