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
  const replayed: Replayed[] = [];
  for (const item of unreadable)
    replayed.push(item.kind === 'event' ? await replayEvent(context, item) : await replayMessage(context, item));
  return replayed;
}

async function replayEvent(context: Context, item: Extract<Unreadable, { kind: 'event' }>): Promise<Replayed> {
  const { id, event } = item;
  const [decided] = await decideFates(context, [render(event)]);
  if (decided === undefined) return { id, fate: 'unreadable', reason: NO_SETTINGS };
  const { fate } = decided;
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
  const decided = await decideFates(context, events.map(render));
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
