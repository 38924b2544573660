import { RefusalError, refuseField } from '@gerbang/core';
import type { EventFilter, ReplayEventsRequest } from '@gerbang/proto/gerbang/notifier/v1/notifier';
import { encodeCursor } from '@gerbang/store';
import type { Context } from '../../context.ts';
import { replay } from '../replay.ts';
import { unreadableQuery } from './unreadable-query.ts';

/** So many at a time, so that a call ends within its deadline. */
const PAGE = 100;

/**
 * Replays a page of the events that could not be read or rendered; the audit log has it before it takes effect, once for all pages. Refusals: validation
 * (operator, cursor), unavailable, timeout.
 */
export async function replayEvents(context: Context, { operator, filter, cursor }: ReplayEventsRequest) {
  if (operator === '') throw new RefusalError(refuseField('operator', 'is required'));
  const query = unreadableQuery(filter, cursor, PAGE + 1);
  if (cursor === '') {
    // The log's times are real ones.
    await context.audit.append(
      { operator, command: 'events.replay', target: filter?.id || 'events', before: null, after: describe(filter) },
      Date.now(),
    );
  }
  const found = await context.unreadable.list(query);
  const page = found.slice(0, PAGE);
  const last = page.at(-1);
  return {
    events: await replay(context, page),
    nextCursor: found.length > PAGE && last !== undefined ? encodeCursor(last.id) : '',
  };
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
