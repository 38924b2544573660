import { createHash } from 'node:crypto';
import { toBinary } from '@bufbuild/protobuf';
import type { Received } from '@gerbang/bus';
import { EventBatchSchema } from '@gerbang/proto/gerbang/events/v1/events';
import type { Context } from '../context.ts';
import { dispatch } from '../delivery/dispatch.ts';
import { type UnreadableMessage, unreadableId } from '../unreadable-event/unreadable-event.ts';
import type { Confirmation, Confirmations } from './confirmations.ts';
import { type Decided, decideOutcomes } from './decide-outcomes.ts';
import { OUTCOME_NAMES } from './outcome.ts';
import { aggregateOf, eventsOf, type ReceivedEvent } from './received-event.ts';

/** The alert for operators (docs/events.md). The event is stored and can be replayed after a fix. */
const UNREADABLE_ALERT = 'event_unreadable';

/**
 * Stores the events that one of the services has published, each once, starts their deliveries, and then confirms them to the
 * service (architecture §3). It also stores events without a webhook and events that cannot be read; they delay no others. Throws
 * when the merchant service or the database does not answer: then nothing is confirmed and the messages come again.
 */
export async function onEvents(
  context: Context,
  service: string,
  confirmations: Confirmations,
  messages: readonly Received[],
): Promise<void> {
  const { events, unreadable } = sort(service, messages);
  const decided = await decideOutcomes(context, events);
  const { deliveries, leases, progress, puller, queues, clock } = context;
  const sinceMs = performance.now();
  const room = (endpoint: string) => (puller.isBehind(endpoint) ? 0 : queues.room(endpoint));
  const { added, claimed, left } = await deliveries.insertNew(decided, unreadable, clock.now(), { owner: leases.owner, room });
  for (const { event, outcome } of decided) {
    // An event that was stored before may have had another outcome.
    const isNew = added.has(event.eventId);
    if (outcome.type === 'no-webhook' && isNew) progress.ended({ aggregate: aggregateOf(event), seq: event.seq });
  }
  await dispatch(context, claimed, sinceMs);
  for (const endpoint of left) puller.check(endpoint);
  confirmations.add(decided.map(toConfirmation));
  report(
    context,
    decided.filter(({ event }) => added.has(event.eventId)),
    unreadable.filter(({ hash }) => added.has(unreadableId(hash))),
  );
}

/** The events of the messages, each once and in its aggregate's order, and the messages that are none of the service. */
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
  for (const { event, outcome } of stored) {
    metrics.stored(event.service, OUTCOME_NAMES[outcome.type]);
    if (outcome.type !== 'unreadable') continue;
    if (outcome.unknown && !unknownTypes.isNew(event)) continue;
    const { eventId, type, merchantId, service } = event;
    const { reason } = outcome;
    log.error(
      { alert: UNREADABLE_ALERT, event_id: eventId, source: service, type, merchant_id: merchantId, reason },
      outcome.unknown ? 'events of this type cannot be read' : 'an event cannot be read',
    );
  }
  for (const { service, hash, reason } of unreadable) {
    metrics.stored(service, OUTCOME_NAMES.unreadable);
    log.error({ alert: UNREADABLE_ALERT, event_id: unreadableId(hash), source: service, reason }, 'a message cannot be read');
  }
}

function toConfirmation({ event: { aggregateType, aggregateId, seq } }: Decided): Confirmation {
  return { aggregateType, aggregateId, upToSeq: seq };
}
