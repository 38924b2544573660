import { createHash } from 'node:crypto';
import { toBinary } from '@bufbuild/protobuf';
import type { Received } from '@gerbang/bus';
import { EventBatchSchema } from '@gerbang/proto/gerbang/events/v1/events';
import type { Context } from '../context.ts';
import { dispatch } from '../delivery/dispatch.ts';
import { aggregateOf, type UnreadableMessage, unreadableId } from '../delivery/document.ts';
import type { Confirmation, Confirmations } from './confirmations.ts';
import { type Decided, decideFates } from './decide-fates.ts';
import { render } from './fate.ts';
import { eventsOf, type ReceivedEvent } from './received-event.ts';

/** What operators are called for (docs/events.md): it is kept, and can be replayed after a fix. */
const UNREADABLE = 'event_unreadable';

/**
 * Stores what one of the services has published, each event once, starts the deliveries that it means, and then confirms to the service
 * (architecture §3). Events that nobody wants or that cannot be read are stored too, and stop nobody. Throws when the merchant service or the
 * database cannot be asked: then nothing is confirmed and the messages come again.
 */
export async function onEvents(
  context: Context,
  service: string,
  confirmations: Confirmations,
  messages: readonly Received[],
): Promise<void> {
  const { events, unreadable } = sort(service, messages);
  const decided = await decideFates(
    context,
    events.map((event) => render(context.catalogue, event)),
  );
  const { deliveries, leases, lanes, progress, puller, clock } = context;
  const sinceMs = performance.now();
  const room = (endpoint: string) => (puller.isBehind(endpoint) ? 0 : lanes.room(endpoint));
  const { added, claimed, left } = await deliveries.insertNew(decided, unreadable, clock.now(), { owner: leases.owner, room });
  for (const { event, fate } of decided) {
    // What was there before may have had another fate.
    if (fate.type === 'unwanted' && added.has(event.eventId)) progress.over({ aggregate: aggregateOf(event), seq: event.seq });
  }
  await dispatch(context, claimed, sinceMs);
  for (const endpoint of left) puller.look(endpoint);
  confirmations.add(decided.map(toConfirmation));
  report(
    context,
    decided.filter(({ event }) => added.has(event.eventId)),
    unreadable.filter(({ hash }) => added.has(unreadableId(hash))),
  );
}

/** Each event once, in its aggregate's order, and what is no message of the service. */
function sort(service: string, messages: readonly Received[]): { events: ReceivedEvent[]; unreadable: UnreadableMessage[] } {
  const events = new Map<string, ReceivedEvent>();
  const unreadable = new Map<string, UnreadableMessage>();
  const keep = (bytes: Uint8Array, reason: string) => {
    const hash = createHash('sha256').update(bytes).digest('hex');
    unreadable.set(hash, { hash, service, bytes, reason });
  };
  for (const message of messages) {
    if ('unreadable' in message) {
      keep(message.unreadable, `not an event message (${message.subject})`);
      continue;
    }
    const received = eventsOf(service, message.batch);
    if (received === undefined) keep(toBinary(EventBatchSchema, message.batch), `not a message of ${service}`);
    else for (const event of received) events.set(event.eventId, event);
  }
  const inOrder = [...events.values()].sort((a, b) => (a.seq < b.seq ? -1 : a.seq > b.seq ? 1 : 0));
  return { events: inOrder, unreadable: [...unreadable.values()] };
}

function report(
  { log, metrics, unknownTypes }: Context,
  stored: readonly Decided[],
  unreadable: readonly UnreadableMessage[],
): void {
  for (const { event, fate } of stored) {
    metrics.stored(event.service, fate.type);
    if (fate.type !== 'unreadable') continue;
    if (fate.unknown && !unknownTypes.isNew(event)) continue;
    const { eventId, type, merchantId } = event;
    log.error(
      { alert: UNREADABLE, event_id: eventId, source: event.service, type, merchant_id: merchantId, reason: fate.reason },
      fate.unknown ? 'events of this type cannot be read' : 'an event cannot be read',
    );
  }
  for (const { service, hash, reason } of unreadable) {
    metrics.stored(service, 'unreadable');
    log.error({ alert: UNREADABLE, event_id: unreadableId(hash), source: service, reason }, 'a message cannot be read');
  }
}

function toConfirmation({ event: { aggregateType, aggregateId, seq } }: Decided): Confirmation {
  return { aggregateType, aggregateId, upToSeq: seq };
}
