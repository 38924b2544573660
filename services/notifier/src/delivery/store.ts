import { dateRange, insertMissing, type Store, traced } from '@gerbang/store';
import type { Outcome } from '../event/outcome.ts';
import { aggregateOf, type ReceivedEvent } from '../event/received-event.ts';
import { unreadableDocument } from '../unreadable-event/document.ts';
import type { UnreadableMessage } from '../unreadable-event/unreadable-event.ts';
import { openClaims } from './claims.ts';
import { type Delivery, type DeliveryEvent, type DeliveryState, endpointOf, evolve, type StoredDelivery } from './delivery.ts';
import {
  DELIVERIES,
  type DeliveryDocument,
  newDocument,
  redeliveryDocument,
  required,
  stateFields,
  toStored,
} from './document.ts';
import { LEASE_MS } from './leases.ts';

/** Requests for a redelivery that are kept of one delivery; the oldest go first. */
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
  const collection = store.collection<DeliveryDocument>(DELIVERIES);
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
     * Stores events and messages durably, each once. It claims new deliveries for `owner` as it writes them: of each endpoint as
     * many as `room` says, whole transactions together. The others stay for the puller.
     */
    async insertNew(
      events: readonly { event: ReceivedEvent; outcome: Outcome }[],
      unreadable: readonly UnreadableMessage[],
      nowMs: number,
      { owner, room }: { owner: string; room: (endpoint: string) => number },
    ): Promise<Inserted> {
      const lease = { lease_until: new Date(databaseTime.nowMs() + LEASE_MS), lease_by: owner };
      const ours = chooseOurs(events, room);
      const documents = events.map(({ event, outcome }) =>
        newDocument(event, outcome, nowMs, ours.has(aggregateOf(event)) ? lease : undefined),
      );
      const added = await insertMissing(collection, [
        ...documents,
        ...unreadable.map((message) => unreadableDocument(message, nowMs)),
      ]);
      const pending = documents.filter((document) => added.has(document._id) && document.status === 'pending');
      const isClaimed = (document: DeliveryDocument) => document.lease_by === owner;
      return {
        added,
        claimed: pending.filter(isClaimed).map(toStored),
        left: new Set(pending.filter((document) => !isClaimed(document)).map((document) => required(document, 'endpoint'))),
      };
    },

    async find(merchantId: string, id: string): Promise<StoredDelivery | undefined> {
      const document = await traced('findOne', DELIVERIES, () =>
        collection.findOne({ _id: id, merchant_id: merchantId, url: { $type: 'string' } }),
      );
      return document === null ? undefined : toStored(document);
    },

    async list(query: DeliveryQuery): Promise<Delivery[]> {
      const at = dateRange(query.fromMs, query.toMs);
      const documents = await traced('find', DELIVERIES, () =>
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

    /**
     * Writes that redeliveries are requested. Undefined when the delivery has changed since it was read: read it again and decide
     * anew.
     */
    async apply(stored: StoredDelivery, events: readonly DeliveryEvent[]): Promise<StoredDelivery | undefined> {
      const { delivery, version } = stored;
      const { set } = stateFields(events.reduce(evolve, delivery.state));
      const requests = events.flatMap((event) =>
        event.type === 'redelivery-requested' ? [redeliveryDocument(event.request)] : [],
      );
      const document = await traced('findOneAndUpdate', DELIVERIES, () =>
        collection.findOneAndUpdate(
          { _id: delivery.id, version },
          {
            $set: { ...set, endpoint: delivery.endpoint },
            $inc: { version: 1 },
            $push: { redeliveries: { $each: requests, $slice: -REDELIVERIES_KEPT } },
          },
          { returnDocument: 'after' },
        ),
      );
      return document === null ? undefined : toStored(document);
    },

    /**
     * The stored status of events by their ids, and the reason of those that cannot be read. Ids that are not stored are left
     * out.
     */
    async statuses(ids: readonly string[]): Promise<Map<string, { status: string; reason: string }>> {
      const found = await traced('find', DELIVERIES, () =>
        collection.find({ _id: { $in: [...ids] } }, { projection: { status: 1, reason: 1 } }).toArray(),
      );
      return new Map(found.map(({ _id, status, reason }) => [_id, { status, reason: reason ?? '' }]));
    },

    countDue: () => collection.countDocuments({ endpoint: { $gt: '' }, due_at: { $type: 'date' } }),
  };
}

/** The aggregates whose events this process takes at once, as far as their endpoints have permits here. */
function chooseOurs(
  events: readonly { event: ReceivedEvent; outcome: Outcome }[],
  room: (endpoint: string) => number,
): ReadonlySet<string> {
  const left = new Map<string, number>();
  const ours = new Set<string>();
  for (const { event, outcome } of events) {
    if (outcome.type !== 'webhook') continue;
    const endpoint = endpointOf(event.merchantId, outcome.url);
    const permits = left.get(endpoint) ?? room(endpoint);
    if (permits > 0) ours.add(aggregateOf(event));
    left.set(endpoint, permits - 1);
  }
  return ours;
}

/**
 * New documents cannot take `$$NOW` for their leases, so this asks every minute how far the database's clock is ahead of ours.
 */
async function followDatabaseTime(store: Store): Promise<{ nowMs(): number; close(): Promise<void> }> {
  let aheadMs = 0;
  const ask = async () => {
    const answer = await store.db.command({ hello: 1 }, { timeoutMS: 2_000 });
    if (answer.localTime instanceof Date) aheadMs = answer.localTime.getTime() - Date.now();
  };
  await ask();
  const asking = setInterval(() => {
    // Until the database answers again, the last known difference is good enough.
    ask().catch(() => {});
  }, DATABASE_TIME_EVERY_MS);
  asking.unref();
  return { nowMs: () => Date.now() + aheadMs, close: async () => clearInterval(asking) };
}
