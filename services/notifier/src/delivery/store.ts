import { dateRange, insertMissing, type Store, traced } from '@gerbang/store';
import type { ReceivedEvent } from '../event/received-event.ts';
import { openClaims } from './claims.ts';
import { type DeliveryEvent, type DeliveryState, evolve } from './delivery.ts';
import {
  aggregateOf,
  type Delivery,
  type DeliveryDocument,
  endpointOf,
  type Fate,
  newDocument,
  present,
  redeliveryDocument,
  type StoredDelivery,
  stateFields,
  toStored,
  type UnreadableMessage,
  unreadableDocument,
} from './document.ts';
import { LEASE_MS } from './leases.ts';

/** Wishes kept of one delivery; the oldest go first. */
export const REDELIVERIES_KEPT = 20;
const DATABASE_TIME_EVERY_MS = 60_000;

/** Newest first; `before` is a delivery id. */
export type DeliveryQuery = {
  merchantId: string;
  limit: number;
  before: string | undefined;
  status: DeliveryState['status'] | undefined;
  fromMs: number | undefined;
  toMs: number | undefined;
};

export type DeliveryStore = Awaited<ReturnType<typeof openDeliveryStore>>;

/** What insertNew has done: the ids that are new; what this process has claimed; the endpoints for which there is more. */
export type Inserted = { added: Set<unknown>; claimed: StoredDelivery[]; left: Set<string> };

/** Opens the collection with the indexes its queries need, and follows the database's time for the leases of new documents. */
export async function openDeliveryStore(store: Store) {
  const collection = store.collection<DeliveryDocument>('deliveries');
  await collection.createIndex(
    { merchant_id: 1, _id: -1 },
    { name: 'newest', partialFilterExpression: { url: { $type: 'string' } } },
  );
  await collection.createIndex({ aggregate: 1, seq: 1 }, { name: 'order', partialFilterExpression: { status: 'pending' } });
  await collection.createIndex(
    { endpoint: 1, due_at: 1 },
    { name: 'due_by_endpoint', partialFilterExpression: { due_at: { $type: 'date' } } },
  );
  const databaseTime = await followDatabaseTime(store);
  const claims = openClaims(store);

  return {
    claims,
    close: databaseTime.close,

    /**
     * Stores events and messages durably, each once. New deliveries are claimed for `owner` as they are written, `room` of each endpoint, whole
     * transactions together; the others are left to whoever looks for due ones.
     */
    async insertNew(
      events: readonly { event: ReceivedEvent; fate: Fate }[],
      unreadable: readonly UnreadableMessage[],
      nowMs: number,
      { owner, room }: { owner: string; room: (endpoint: string) => number },
    ): Promise<Inserted> {
      const lease = { lease_until: new Date(databaseTime.nowMs() + LEASE_MS), lease_by: owner };
      const mine = chooseOurs(events, room);
      const documents = events.map(({ event, fate }) =>
        newDocument(event, fate, nowMs, mine.has(aggregateOf(event)) ? lease : undefined),
      );
      const added = await insertMissing(collection, [
        ...documents,
        ...unreadable.map((message) => unreadableDocument(message, nowMs)),
      ]);
      const pending = documents.filter((document) => added.has(document._id) && document.status === 'pending');
      return {
        added,
        claimed: pending.filter((document) => document.lease_by === owner).map(toStored),
        left: new Set(pending.filter((document) => document.lease_by !== owner).map((document) => present(document, 'endpoint'))),
      };
    },

    async find(merchantId: string, id: string): Promise<StoredDelivery | undefined> {
      const document = await traced('findOne', 'deliveries', () =>
        collection.findOne({ _id: id, merchant_id: merchantId, url: { $type: 'string' } }),
      );
      return document === null ? undefined : toStored(document);
    },

    async list(query: DeliveryQuery): Promise<Delivery[]> {
      const at = dateRange(query.fromMs, query.toMs);
      const documents = await traced('find', 'deliveries', () =>
        collection
          .find(
            {
              merchant_id: query.merchantId,
              url: { $type: 'string' },
              ...(query.status !== undefined && { status: query.status }),
              ...(query.before !== undefined && { _id: { $lt: query.before } }),
              ...(at !== undefined && { at }),
            },
            { sort: { _id: -1 }, limit: query.limit },
          )
          .toArray(),
      );
      return documents.map((document) => toStored(document).delivery);
    },

    /** Writes that a redelivery is wanted if the delivery still is as it was read; undefined when it is not (read it again and decide anew). */
    async apply(stored: StoredDelivery, events: readonly DeliveryEvent[]): Promise<StoredDelivery | undefined> {
      const { _id, version } = stored.document;
      const { set } = stateFields(events.reduce(evolve, stored.delivery.state));
      const wishes = events.filter((event) => event.type === 'redelivery-requested');
      const document = await traced('findOneAndUpdate', 'deliveries', () =>
        collection.findOneAndUpdate(
          { _id, version },
          {
            $set: { ...set, endpoint: stored.delivery.endpoint },
            $inc: { version: 1 },
            $push: { redeliveries: { $each: wishes.map(redeliveryDocument), $slice: -REDELIVERIES_KEPT } },
          },
          { returnDocument: 'after' },
        ),
      );
      return document === null ? undefined : toStored(document);
    },

    countDue: () => collection.countDocuments({ endpoint: { $gt: '' }, due_at: { $type: 'date' } }),
  };
}

/** The aggregates whose events this process takes at once, as far as their endpoints have room here. */
function chooseOurs(
  events: readonly { event: ReceivedEvent; fate: Fate }[],
  room: (endpoint: string) => number,
): ReadonlySet<string> {
  const left = new Map<string, number>();
  const ours = new Set<string>();
  for (const { event, fate } of events) {
    if (fate.type !== 'webhook') continue;
    const endpoint = endpointOf(event.merchantId, fate.url);
    const places = left.get(endpoint) ?? room(endpoint);
    if (places > 0) ours.add(aggregateOf(event));
    left.set(endpoint, places - 1);
  }
  return ours;
}

/** New documents can't take `$$NOW` for their leases; so the difference between the database's clock and ours is asked for every minute. */
async function followDatabaseTime(store: Store): Promise<{ nowMs(): number; close(): Promise<void> }> {
  let aheadMs = 0;
  const ask = async () => {
    const answer = await store.db.command({ hello: 1 }, { timeoutMS: 2_000 });
    if (answer.localTime instanceof Date) aheadMs = answer.localTime.getTime() - Date.now();
  };
  await ask();
  const asking = setInterval(() => {
    // The difference known so far is as good until the database answers again.
    ask().catch(() => {});
  }, DATABASE_TIME_EVERY_MS);
  asking.unref();
  return { nowMs: () => Date.now() + aheadMs, close: async () => clearInterval(asking) };
}
