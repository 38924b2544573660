import { createHash } from 'node:crypto';
import { toBinary } from '@bufbuild/protobuf';
import type { Received } from '@gerbang/bus';
import { EventBatchSchema } from '@gerbang/proto/gerbang/events/v1/events';
import type { Context } from '../context.ts';
import { dispatch } from '../delivery/dispatch.ts';
import type { Fate, UnreadableMessage } from '../delivery/store.ts';
import type { Confirmation, Confirmations } from './confirmations.ts';
import { fateOf, type Rendered, render } from './fate.ts';
import { eventsOf, type ReceivedEvent } from './received-event.ts';

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
  const decided = await decideFates(context, events.map(render));
  const { free, left } = await context.deliveries.insertNew(decided, unreadable, context.clock.now());
  report(context, decided, unreadable);
  for (const delivery of free) dispatch(context, delivery);
  if (left) context.pokeTimer();
  confirmations.add(events.map(toConfirmation));
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

/** Asks once for the settings of all the merchants and moments at hand; only events that render to a webhook need any. */
async function decideFates(context: Context, rendered: readonly Rendered[]): Promise<{ event: ReceivedEvent; fate: Fate }[]> {
  const keyOf = ({ merchantId, atMs }: { merchantId: string; atMs: number }) => `${merchantId}@${atMs}`;
  const queries = new Map(rendered.flatMap(({ event, webhook }) => (webhook === undefined ? [] : [[keyOf(event), event]])));
  const answers = queries.size === 0 ? [] : await context.settings.at([...queries.values()]);
  const settings = new Map([...queries.keys()].map((key, i) => [key, answers[i]]));
  return rendered.map((item) => {
    if (item.webhook === undefined) return { event: item.event, fate: item.fate };
    const found = settings.get(keyOf(item.event));
    if (found === undefined) throw new Error('the settings of an event were not asked for');
    return { event: item.event, fate: fateOf(item.webhook, found) };
  });
}

function report(
  { log, metrics }: Context,
  decided: readonly { event: ReceivedEvent; fate: Fate }[],
  unreadable: readonly UnreadableMessage[],
) {
  for (const { event, fate } of decided) {
    metrics.stored(event.service, fate.type);
    if (fate.type === 'unreadable')
      log.error(
        { event_id: event.eventId, type: event.type, merchant_id: event.merchantId, reason: fate.reason },
        'an event cannot be read',
      );
  }
  for (const { service, hash, reason } of unreadable) {
    metrics.stored(service, 'unreadable');
    log.error({ source: service, hash, reason }, 'a message cannot be read');
  }
}

function toConfirmation({ aggregateType, aggregateId, seq }: ReceivedEvent): Confirmation {
  return { aggregateType, aggregateId, upToSeq: seq };
}
