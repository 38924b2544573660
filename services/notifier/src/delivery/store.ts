import { dateRange, insertMissing, type Store, traced } from '@gerbang/store';
import type { ReceivedEvent } from '../event/received-event.ts';
import { type DeliveryEvent, type DeliveryState, evolve } from './delivery.ts';
import {
  aggregateOf,
  attemptDocument,
  type Delivery,
  type DeliveryDocument,
  type Fate,
  newDocument,
  present,
  type StoredDelivery,
  stateFields,
  toStored,
  type UnreadableMessage,
  unreadableDocument,
} from './document.ts';

/** Attempts kept of one delivery; the oldest go first. */
const ATTEMPTS_KEPT = 50;
const DATABASE_TIME_EVERY_MS = 60_000;

/** A delivery that waits for its predecessor is looked at again after this long at the soonest, should nobody wake it. */
export const BLOCKED_MS = 1_000;
/** How long a claim holds: waiting for a turn, and then the attempt. */
export const LEASE_MS = 30_000;
/** All that an attempt can take, from asking for the secret to the written outcome; with less than this left of its lease none is begun. */
const ATTEMPT_MAX_MS = 18_000;

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

/** Opens the collection with the indexes its queries need, and follows the database's time for the leases of new documents. */
export async function openDeliveryStore(store: Store) {
  const collection = store.collection<DeliveryDocument>('deliveries');
  await collection.createIndex(
    { merchant_id: 1, _id: -1 },
    { name: 'newest', partialFilterExpression: { url: { $type: 'string' } } },
  );
  await collection.createIndex({ aggregate: 1, seq: 1 }, { name: 'order', partialFilterExpression: { status: 'pending' } });
  const databaseTime = await followDatabaseTime(store);

  return {
    collection,
    close: databaseTime.close,

    /**
     * Stores events and messages durably, each once. Returns the ids that are new, and the deliveries among them that are free to go: they carry this
     * process's lease, so that no timer takes them. Those behind another one of the same call, or behind one that is not done
     * yet, are left to the timer (`left`: there are some).
     */
    async insertNew(
      events: readonly { event: ReceivedEvent; fate: Fate }[],
      unreadable: readonly UnreadableMessage[],
      nowMs: number,
    ): Promise<{ added: Set<unknown>; free: StoredDelivery[]; left: boolean }> {
      const leaseUntil = new Date(databaseTime.nowMs() + LEASE_MS);
      const first = firstOfAggregates(events);
      const documents = events.map(({ event, fate }) =>
        newDocument(event, fate, nowMs, first.has(event.eventId) ? leaseUntil : undefined),
      );
      const added = await insertMissing(collection, [...documents, ...unreadable.map(unreadableDocument)]);
      const pending = documents.filter((document) => added.has(document._id) && document.status === 'pending');
      const mine = pending.filter((document) => document.lease_until !== undefined);
      const waiting = await pendingAmong(mine);
      const free: StoredDelivery[] = [];
      for (const document of mine) {
        const stored = toStored(document);
        const { aggregate, seq } = stored.delivery;
        if (waiting.some((other) => other.aggregate === aggregate && other.seq < seq)) await postpone(stored, nowMs + BLOCKED_MS);
        else free.push(stored);
      }
      return { added, free, left: free.length < pending.length };
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

    /** Writes the events' effect if the delivery still is as it was read; undefined when it is not (read it again and decide anew). */
    async apply(
      stored: StoredDelivery,
      events: readonly DeliveryEvent[],
      releaseLease: boolean,
    ): Promise<StoredDelivery | undefined> {
      const { _id, version, lease_until: lease } = stored.document;
      const state = events.reduce(evolve, stored.delivery.state);
      const { set, unset } = stateFields(state);
      const attempts = events.flatMap((event) => (event.type === 'attempted' ? [attemptDocument(event.attempt)] : []));
      if (releaseLease) unset.push('lease_until');
      const document = await traced('findOneAndUpdate', 'deliveries', () =>
        collection.findOneAndUpdate(
          { _id, version, ...(releaseLease && lease !== undefined && { lease_until: lease }) },
          {
            $set: set,
            $unset: Object.fromEntries(unset.map((field) => [field, ''])),
            $inc: { version: 1 },
            ...(attempts.length > 0 && { $push: { attempts: { $each: attempts, $slice: -ATTEMPTS_KEPT } } }),
          },
          { returnDocument: 'after' },
        ),
      );
      return document === null ? undefined : toStored(document);
    },

    /** What keeps a delivery from going: the first event of the same aggregate, before it, that is neither delivered nor given up. */
    async predecessorOf({ delivery }: StoredDelivery): Promise<Delivery | undefined> {
      if (delivery.seq === 1n) return undefined;
      const document = await traced('findOne', 'deliveries', () =>
        collection.findOne(
          { aggregate: delivery.aggregate, seq: { $lt: delivery.seq }, status: 'pending' },
          { sort: { seq: 1 } },
        ),
      );
      return document === null ? undefined : toStored(document).delivery;
    },

    /** Makes the next delivery of the same aggregate due now; false when there is none waiting. */
    async wakeSuccessor({ delivery }: StoredDelivery, nowMs: number): Promise<boolean> {
      const woken = await traced('findOneAndUpdate', 'deliveries', () =>
        collection.findOneAndUpdate(
          { aggregate: delivery.aggregate, seq: { $gt: delivery.seq }, status: 'pending' },
          { $set: { due_at: new Date(nowMs) } },
          { sort: { seq: 1 }, projection: { _id: 1 } },
        ),
      );
      return woken !== null;
    },

    /** How much longer a claimed delivery's attempt may be put off; not positive when its lease is too short for one. */
    turnMs: ({ document }: StoredDelivery): number =>
      (document.lease_until?.getTime() ?? 0) - databaseTime.nowMs() - ATTEMPT_MAX_MS,

    postpone,
    countDue: () => collection.countDocuments({ due_at: { $type: 'date' } }),
  };

  /** Gives a claimed delivery back, to be looked at again at `untilMs` (business time), unless its lease is over already. */
  async function postpone({ document }: StoredDelivery, untilMs: number): Promise<void> {
    const { _id, lease_until: lease } = document;
    if (lease === undefined) return;
    await traced('updateOne', 'deliveries', () =>
      collection.updateOne(
        { _id, lease_until: lease, due_at: { $type: 'date' } },
        { $set: { due_at: new Date(untilMs) }, $unset: { lease_until: '' } },
      ),
    );
  }

  async function pendingAmong(documents: readonly DeliveryDocument[]): Promise<{ aggregate: string; seq: bigint }[]> {
    const aggregates = documents.flatMap(({ aggregate, seq }) =>
      aggregate !== undefined && seq !== undefined && seq > 1n ? [aggregate] : [],
    );
    if (aggregates.length === 0) return [];
    const found = await traced('find', 'deliveries', () =>
      collection.find({ aggregate: { $in: aggregates }, status: 'pending' }, { projection: { aggregate: 1, seq: 1 } }).toArray(),
    );
    return found.map((document) => ({ aggregate: present(document, 'aggregate'), seq: present(document, 'seq') }));
  }
}

/** The first webhook of each aggregate; those behind it have to wait for it. */
function firstOfAggregates(events: readonly { event: ReceivedEvent; fate: Fate }[]): Set<string> {
  const first = new Map<string, ReceivedEvent>();
  for (const { event, fate } of events) {
    if (fate.type !== 'webhook') continue;
    const key = aggregateOf(event);
    const known = first.get(key);
    if (known === undefined || event.seq < known.seq) first.set(key, event);
  }
  return new Set([...first.values()].map(({ eventId }) => eventId));
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
