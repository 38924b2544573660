import { RefusalError, refuseField } from '@gerbang/core';
import type { ListFatesRequest } from '@gerbang/proto/gerbang/notifier/v1/notifier';
import type { Context } from '../../context.ts';
import { eventIdOf } from '../received-event.ts';

const EVENTS_MAX = 1_000;

/**
 * The stored status of an aggregate's events. Events that are not stored here are left out. Refusals: validation (too many at
 * once).
 */
export async function listFates({ deliveries }: Context, request: ListFatesRequest) {
  if (request.events.length > EVENTS_MAX) throw new RefusalError(refuseField('events', 'are too many'));
  const ids = new Map(request.events.map(({ seq, atMs }) => [eventIdOf({ ...request, seq, atMs: Number(atMs) }), seq] as const));
  const found = await deliveries.statuses([...ids.keys()]);
  return {
    fates: [...ids].flatMap(([eventId, seq]) => {
      const status = found.get(eventId);
      return status === undefined ? [] : [{ eventId, seq, ...status }];
    }),
  };
}
