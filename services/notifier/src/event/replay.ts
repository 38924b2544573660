import { fromBinary } from '@bufbuild/protobuf';
import { EventBatchSchema } from '@gerbang/proto/gerbang/events/v1/events';
import type { Context } from '../context.ts';
import { endpointOf, type Fate } from '../delivery/document.ts';
import { type Decided, decideFates } from './decide-fates.ts';
import { render } from './fate.ts';
import { eventsOf, type ReceivedEvent } from './received-event.ts';
import type { Unreadable } from './unreadable-store.ts';

/** What became of one that was unreadable. */
export type Replayed = { id: string; fate: Fate['type']; reason: string };

const NO_MESSAGE = 'not a message of the service';
const NO_SETTINGS = 'the settings of its merchant cannot be told now';

/**
 * Reads and renders again what could not be read: an event becomes what it would have been, a webhook under the URL that was set when it occurred and with
 * the id it has had, due now; a message becomes its events. What still can't be read stays, with the reason of today. Refusals: unavailable, timeout.
 */
export async function replay(context: Context, unreadable: readonly Unreadable[]): Promise<Replayed[]> {
  const events = unreadable.flatMap((item) => (item.kind === 'event' ? [item.event] : []));
  const decided = await decideFates(
    context,
    events.map((event) => render(context.catalogue, event)),
  );
  const fates = new Map(decided.map(({ event, fate }) => [event.eventId, fate]));
  const replayed: Replayed[] = [];
  // In the order in which they occurred, so that the webhooks of one transaction go out in their order.
  for (const item of unreadable.toSorted(byOccurrence))
    replayed.push(
      item.kind === 'event' ? await replayEvent(context, item, fates.get(item.id)) : await replayMessage(context, item),
    );
  return replayed;
}

function byOccurrence(a: Unreadable, b: Unreadable): number {
  const seqOf = (item: Unreadable) => (item.kind === 'event' ? item.event.seq : 0n);
  return a.atMs - b.atMs || Number(seqOf(a) - seqOf(b));
}

/** `fate` is undefined where the settings of the event's merchant cannot be known now. */
async function replayEvent(
  context: Context,
  item: Extract<Unreadable, { kind: 'event' }>,
  fate: Fate | undefined,
): Promise<Replayed> {
  const { id, event } = item;
  if (fate === undefined) return { id, fate: 'unreadable', reason: NO_SETTINGS };
  // Somebody else has replayed it at the same time: then it is as they have left it.
  if (await context.unreadable.settle(item, event, fate, context.clock.now())) {
    context.metrics.replayed(event.service, fate.type);
    if (fate.type === 'webhook') context.puller.look(endpointOf(event.merchantId, fate.url));
  }
  return { id, fate: fate.type, reason: reasonOf(fate) };
}

async function replayMessage(context: Context, item: Extract<Unreadable, { kind: 'message' }>): Promise<Replayed> {
  const { id, service } = item;
  const events = read(service, item.bytes);
  if (events === undefined) return { id, fate: 'unreadable', reason: NO_MESSAGE };
  const decided = await decideFates(
    context,
    events.map((event) => render(context.catalogue, event)),
  );
  if (decided.length < events.length) return { id, fate: 'unreadable', reason: NO_SETTINGS };
  await store(context, decided);
  await context.unreadable.remove(item);
  return { id, fate: decided.some(({ fate }) => fate.type === 'webhook') ? 'webhook' : 'unwanted', reason: '' };
}

/** Each once: most were stored meanwhile, when their owner published them again. */
async function store(context: Context, decided: readonly Decided[]): Promise<void> {
  const { deliveries, leases, puller, clock } = context;
  const { left } = await deliveries.insertNew(decided, [], clock.now(), { owner: leases.owner, room: () => 0 });
  for (const endpoint of left) puller.look(endpoint);
}

function read(service: string, bytes: Uint8Array): ReceivedEvent[] | undefined {
  try {
    return eventsOf(service, fromBinary(EventBatchSchema, bytes));
  } catch {
    // As unreadable as it was.
    return undefined;
  }
}

function reasonOf(fate: Fate): string {
  return fate.type === 'unreadable' ? fate.reason : '';
}
