import { type ConditionalUpdate, combineUpdates, type Store, traced } from '@gerbang/store';
import type { Pending, Position } from './chains.ts';
import { type DeliveryEvent, evolve } from './delivery.ts';
import {
  type AttemptDocument,
  attemptDocument,
  type DeliveryDocument,
  endpointOf,
  present,
  type StoredDelivery,
  stateFields,
  toStored,
} from './document.ts';
import { LEASE_MS } from './leases.ts';

/** Attempts kept of one delivery; the oldest go first. */
const ATTEMPTS_KEPT = 50;
/** A backlog is counted so far. */
const COUNTED_MAX = 10_000;
/** Documents of the version before that are labelled in one go. */
const LABELLED_TOGETHER = 200;

const leaseIsOver = { $lte: [{ $ifNull: ['$lease_until', new Date(0)] }, '$$NOW'] };
const extended = { $add: ['$$NOW', LEASE_MS] };

/** What an attempt means for the delivery that it was made of. */
export type Outcome = { stored: StoredDelivery; events: readonly DeliveryEvent[] };

export type Claims = ReturnType<typeof openClaims>;

/** The writes by which replicas share the due deliveries; a claim is marked with its owner and ends with its lease, in the database's time. */
export function openClaims(store: Store) {
  const collection = store.collection<DeliveryDocument>('deliveries');
  const update = combineUpdates(collection);
  return {
    /** The next endpoint after one, in the order of their names, that has something to attempt at some time; `dueAtMs` is the earliest. */
    async endpointAfter(endpoint: string): Promise<{ endpoint: string; dueAtMs: number } | undefined> {
      const found = await traced('findOne', 'deliveries', () =>
        collection.findOne(
          { endpoint: { $gt: endpoint }, due_at: { $type: 'date' } },
          { sort: { endpoint: 1, due_at: 1 }, projection: { endpoint: 1, due_at: 1 } },
        ),
      );
      return found === null ? undefined : { endpoint: present(found, 'endpoint'), dueAtMs: present(found, 'due_at').getTime() };
    },

    /** An endpoint's deliveries that are due and free, those first that have been due for longest. */
    async due(endpoint: string, nowMs: number, limit: number): Promise<StoredDelivery[]> {
      const found = await traced('find', 'deliveries', () =>
        collection
          .find(
            { endpoint, due_at: { $type: 'date', $lte: new Date(nowMs) }, $expr: leaseIsOver },
            { sort: { endpoint: 1, due_at: 1 }, limit, hint: 'due_by_endpoint', batchSize: limit + 1 },
          )
          .toArray(),
      );
      return found.map(toStored);
    },

    /** How much an endpoint has pending, counted up to a bound, and since when the longest waiting of it is due (business time). */
    async backlogOf(endpoint: string): Promise<{ count: number; dueSinceMs: number | undefined }> {
      const pending = { endpoint, due_at: { $type: 'date' as const } };
      const [count, first] = await Promise.all([
        collection.countDocuments(pending, { limit: COUNTED_MAX }),
        collection.findOne(pending, { sort: { endpoint: 1, due_at: 1 }, projection: { due_at: 1 } }),
      ]);
      return { count, dueSinceMs: first?.due_at?.getTime() };
    },

    /**
     * Claims those of the deliveries that are still due and free, each for one replica. What has changed in one since it was found, and left it due, is met
     * when its outcome is recorded.
     */
    async claim(found: readonly StoredDelivery[], owner: string, nowMs: number): Promise<readonly StoredDelivery[]> {
      const due = { _id: { $in: found.map(({ delivery }) => delivery.id) }, due_at: { $lte: new Date(nowMs) } };
      const { matchedCount } = await traced('updateMany', 'deliveries', () =>
        collection.updateMany({ ...due, $expr: leaseIsOver }, [{ $set: { lease_until: extended, lease_by: owner } }]),
      );
      if (matchedCount === found.length) return found;
      const claimed = await traced('find', 'deliveries', () => collection.find({ ...due, lease_by: owner }).toArray());
      return claimed.map(toStored);
    },

    /** Extends claims by a whole lease; those that are somebody else's meanwhile, or over, are not among the ids returned. */
    async renew(ids: readonly string[], owner: string): Promise<ReadonlySet<string>> {
      const ours = { _id: { $in: ids }, lease_by: owner };
      const { matchedCount } = await traced('updateMany', 'deliveries', () =>
        collection.updateMany(ours, [{ $set: { lease_until: extended } }]),
      );
      if (matchedCount === ids.length) return new Set(ids);
      const kept = await traced('find', 'deliveries', () => collection.find(ours, { projection: { _id: 1 } }).toArray());
      return new Set(kept.map(({ _id }) => _id));
    },

    /** Gives claimed deliveries back, each to be looked at again at its time (business time), unless somebody else has it already. */
    async giveBack(items: readonly { id: string; dueAtMs: number }[], owner: string): Promise<void> {
      const release = { lease_until: '', lease_by: '' };
      await Promise.all(
        items.map(({ id, dueAtMs }) =>
          update({
            _id: id,
            condition: { lease_by: owner, due_at: { $type: 'date' } },
            update: { $set: { due_at: new Date(dueAtMs) }, $unset: release },
            isMine: (document) => document.lease_by === undefined,
          }),
        ),
      );
    },

    /** All events of the aggregates that are neither delivered nor given up. */
    async pendingOf(aggregates: readonly string[]): Promise<Pending[]> {
      if (aggregates.length === 0) return [];
      const found = await traced('find', 'deliveries', () =>
        collection
          .find({ aggregate: { $in: aggregates }, status: 'pending' }, { projection: { aggregate: 1, seq: 1, due_at: 1 } })
          .toArray(),
      );
      return found.map((document) => ({
        id: document._id,
        aggregate: present(document, 'aggregate'),
        seq: present(document, 'seq'),
        dueAtMs: document.due_at?.getTime() ?? 0,
      }));
    },

    /**
     * Notes on deliveries that something waits for them; whoever has claimed one comes to know when its outcome is recorded, because the version is another
     * then. False where one of them was over already.
     */
    async awaitAll(ids: ReadonlySet<string>): Promise<boolean> {
      const { matchedCount } = await traced('updateMany', 'deliveries', () =>
        collection.updateMany({ _id: { $in: [...ids] }, status: 'pending' }, { $set: { awaited: true }, $inc: { version: 1 } }),
      );
      return matchedCount === ids.size;
    },

    /** Writes what an attempt has come to and ends its claim; false where the delivery has changed meanwhile, or the claim is somebody else's. */
    record: (outcome: Outcome, owner: string): Promise<boolean> => update(updateOf(outcome, owner)),

    /** A claimed delivery as it stands now; undefined where the claim is somebody else's, or over. */
    async findClaimed(id: string, owner: string): Promise<StoredDelivery | undefined> {
      const document = await traced('findOne', 'deliveries', () => collection.findOne({ _id: id, lease_by: owner }));
      return document === null ? undefined : toStored(document);
    },

    /**
     * Makes the next delivery of each aggregate due now, unless it has been attempted already and follows its own schedule; returns the endpoints that
     * they go to.
     */
    async wake(over: readonly Position[], nowMs: number): Promise<Set<string>> {
      const pending = await traced('find', 'deliveries', () =>
        collection
          .find(
            { aggregate: { $in: over.map(({ aggregate }) => aggregate) }, status: 'pending' },
            { projection: { aggregate: 1, seq: 1, endpoint: 1 }, sort: { aggregate: 1, seq: 1 } },
          )
          .toArray(),
      );
      const next = new Map<string, DeliveryDocument>();
      for (const document of pending) {
        const aggregate = present(document, 'aggregate');
        if (!next.has(aggregate)) next.set(aggregate, document);
      }
      if (next.size === 0) return new Set();
      const ids = [...next.values()].map(({ _id }) => _id);
      await traced('updateMany', 'deliveries', () =>
        collection.updateMany(
          { _id: { $in: ids }, status: 'pending', next_attempt_at: { $lte: new Date(nowMs) } },
          { $set: { due_at: new Date(nowMs) } },
        ),
      );
      return new Set([...next.values()].map((document) => present(document, 'endpoint')));
    },

    /** Names the endpoint of deliveries that the version before has stored; true while there may be more of them. */
    async label(): Promise<boolean> {
      const found = await collection
        .find({ endpoint: null, due_at: { $type: 'date' } }, { projection: { merchant_id: 1, url: 1 } })
        .limit(LABELLED_TOGETHER)
        .toArray();
      if (found.length === 0) return false;
      await collection.bulkWrite(
        found.map((document) => ({
          updateOne: {
            filter: { _id: document._id },
            update: { $set: { endpoint: endpointOf(present(document, 'merchant_id'), present(document, 'url')) } },
          },
        })),
      );
      return found.length === LABELLED_TOGETHER;
    },
  };
}

function updateOf({ stored, events }: Outcome, owner: string): ConditionalUpdate {
  const { _id, version } = stored.document;
  const { set, unset } = stateFields(events.reduce(evolve, stored.delivery.state));
  const attempts = events.flatMap((event) => (event.type === 'attempted' ? [attemptDocument(event.attempt)] : []));
  return {
    _id,
    condition: { version, lease_by: owner },
    update: {
      $set: set,
      $unset: Object.fromEntries([...unset, 'lease_until', 'lease_by'].map((field) => [field, ''])),
      $inc: { version: 1 },
      $push: { attempts: { $each: attempts, $slice: -ATTEMPTS_KEPT } },
    },
    isMine: ({ attempts: kept }) => Array.isArray(kept) && attempts.every((made) => kept.some((one) => isSame(one, made))),
  };
}

function isSame(one: AttemptDocument, other: AttemptDocument): boolean {
  return one.at.getTime() === other.at.getTime() && one.duration_ms === other.duration_ms;
}
