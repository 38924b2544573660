import { fromBinary } from '@bufbuild/protobuf';
import { EventBatchSchema } from '@gerbang/proto/gerbang/events/v1/events';
import type { Context } from '../context.ts';
import { endpointOf } from '../delivery/delivery.ts';
import { type Decided, decideOutcomes } from '../event/decide-outcomes.ts';
import { OUTCOME_NAMES, type Outcome } from '../event/outcome.ts';
import { eventsOf, type ReceivedEvent } from '../event/received-event.ts';
import { byOccurrence, type Unreadable } from './unreadable-event.ts';

/** What an unreadable event is after a replay; `fate` is the name of its outcome in the contract between services. */
export type Replayed = { id: string; fate: string; reason: string };

const NO_MESSAGE = 'not a message of the service';
const NO_SETTINGS = 'the settings of its merchant cannot be read now';

/**
 * Reads and renders unreadable events again. An event becomes what it would have been: a webhook to the URL that was set when it
 * occurred, with the id that it has always had, due now. A message becomes its events. What still cannot be read stays, with the
 * reason of today. Refusals: unavailable, timeout.
 */
export async function replay(context: Context, unreadable: readonly Unreadable[]): Promise<Replayed[]> {
  const events = unreadable.flatMap((item) => (item.kind === 'event' ? [item.event] : []));
  const decided = await decideOutcomes(context, events);
  const outcomes = new Map(decided.map(({ event, outcome }) => [event.eventId, outcome]));
  const replayed: Replayed[] = [];
  // The webhooks of one transaction go out in the order of its events.
  for (const item of unreadable.toSorted(byOccurrence)) {
    if (item.kind === 'event') replayed.push(await replayEvent(context, item, outcomes.get(item.id)));
    else replayed.push(await replayMessage(context, item));
  }
  return replayed;
}

/** `outcome` is undefined when the settings of the event's merchant cannot be read now. */
async function replayEvent(
  context: Context,
  item: Extract<Unreadable, { kind: 'event' }>,
  outcome: Outcome | undefined,
): Promise<Replayed> {
  const { id, event } = item;
  if (outcome === undefined) return stillUnreadable(id, NO_SETTINGS);
  // False when another replay was faster; then its outcome stays.
  if (await context.unreadable.resolve(item, event, outcome, context.clock.now())) {
    context.metrics.replayed(event.service, OUTCOME_NAMES[outcome.type]);
    if (outcome.type === 'webhook') context.puller.check(endpointOf(event.merchantId, outcome.url));
  }
  return { id, fate: OUTCOME_NAMES[outcome.type], reason: outcome.type === 'unreadable' ? outcome.reason : '' };
}

async function replayMessage(context: Context, item: Extract<Unreadable, { kind: 'message' }>): Promise<Replayed> {
  const { id, service } = item;
  const events = read(service, item.bytes);
  if (events === undefined) return stillUnreadable(id, NO_MESSAGE);
  const decided = await decideOutcomes(context, events);
  if (decided.length < events.length) return stillUnreadable(id, NO_SETTINGS);
  await store(context, decided);
  await context.unreadable.remove(item);
  const hasWebhook = decided.some(({ outcome }) => outcome.type === 'webhook');
  return { id, fate: OUTCOME_NAMES[hasWebhook ? 'webhook' : 'no-webhook'], reason: '' };
}

/** Stores each event once. Most are there already, because their owner has published them again. */
async function store(context: Context, decided: readonly Decided[]): Promise<void> {
  const { deliveries, leases, puller, clock } = context;
  const { left } = await deliveries.insertNew(decided, [], clock.now(), { owner: leases.owner, room: () => 0 });
  for (const endpoint of left) puller.check(endpoint);
}

function read(service: string, bytes: Uint8Array): ReceivedEvent[] | undefined {
  try {
    return eventsOf(service, fromBinary(EventBatchSchema, bytes));
  } catch {
    // The message is still unreadable.
    return undefined;
  }
}

function stillUnreadable(id: string, reason: string): Replayed {
  return { id, fate: OUTCOME_NAMES.unreadable, reason };
}
