import { type ConditionalUpdate, combineUpdates, type Store, traced } from '@gerbang/store';
import type { Pending, Position } from './chains.ts';
import { type DeliveryEvent, endpointOf, evolve, type StoredDelivery } from './delivery.ts';
import {
  type AttemptDocument,
  attemptDocument,
  DELIVERIES,
  type DeliveryDocument,
  required,
  stateFields,
  toStored,
} from './document.ts';
import { LEASE_MS } from './leases.ts';

/** Attempts kept of one delivery; the oldest go first. */
const ATTEMPTS_KEPT = 50;
/** A backlog is counted up to this number. */
const COUNTED_MAX = 10_000;
/** Documents of an earlier version that get their endpoint in one step. */
const LABELLED_TOGETHER = 200;

const leaseIsOver = { $lte: [{ $ifNull: ['$lease_until', new Date(0)] }, '$$NOW'] };
const extended = { $add: ['$$NOW', LEASE_MS] };

/** What an attempt changes in the delivery that it belongs to. */
export type AttemptOutcome = { stored: StoredDelivery; events: readonly DeliveryEvent[] };

export type Claims = ReturnType<typeof openClaims>;

/**
 * The writes by which replicas share the due deliveries. A claim names its owner and ends with its lease, in the database's time.
 */
export function openClaims(store: Store) {
  const collection = store.collection<DeliveryDocument>(DELIVERIES);
  const update = combineUpdates(collection);
  return {
    /** The next endpoint, in the order of names, that has an attempt pending; `dueAtMs` is the earliest one. */
    async endpointAfter(endpoint: string): Promise<{ endpoint: string; dueAtMs: number } | undefined> {
      const found = await traced('findOne', DELIVERIES, () =>
        collection.findOne(
          { endpoint: { $gt: endpoint }, due_at: { $type: 'date' } },
          { sort: { endpoint: 1, due_at: 1 }, projection: { endpoint: 1, due_at: 1 } },
        ),
      );
      if (found === null) return undefined;
      return { endpoint: required(found, 'endpoint'), dueAtMs: required(found, 'due_at').getTime() };
    },

    /** An endpoint's deliveries that are due and free, the longest due first. */
    async due(endpoint: string, nowMs: number, limit: number): Promise<StoredDelivery[]> {
      const found = await traced('find', DELIVERIES, () =>
        collection
          .find(
            { endpoint, due_at: { $type: 'date', $lte: new Date(nowMs) }, $expr: leaseIsOver },
            { sort: { endpoint: 1, due_at: 1 }, limit, hint: 'due_by_endpoint', batchSize: limit + 1 },
          )
          .toArray(),
      );
      return found.map(toStored);
    },

    /** How much an endpoint has pending, counted up to a bound, and since when the oldest of it is due (business time). */
    async backlogOf(endpoint: string): Promise<{ count: number; dueSinceMs: number | undefined }> {
      const pending = { endpoint, due_at: { $type: 'date' as const } };
      const [count, first] = await Promise.all([
        collection.countDocuments(pending, { limit: COUNTED_MAX }),
        collection.findOne(pending, { sort: { endpoint: 1, due_at: 1 }, projection: { due_at: 1 } }),
      ]);
      return { count, dueSinceMs: first?.due_at?.getTime() };
    },

    /**
     * Claims those of the deliveries that are still due and free; no two replicas get the same one. It does not check for other
     * changes since they were found: recording the attempt does.
     */
    async claim(found: readonly StoredDelivery[], owner: string, nowMs: number): Promise<readonly StoredDelivery[]> {
      const due = { _id: { $in: found.map(({ delivery }) => delivery.id) }, due_at: { $lte: new Date(nowMs) } };
      const { matchedCount } = await traced('updateMany', DELIVERIES, () =>
        collection.updateMany({ ...due, $expr: leaseIsOver }, [{ $set: { lease_until: extended, lease_by: owner } }]),
      );
      if (matchedCount === found.length) return found;
      const claimed = await traced('find', DELIVERIES, () => collection.find({ ...due, lease_by: owner }).toArray());
      return claimed.map(toStored);
    },

    /** Extends claims by a whole lease. It returns the ids of those that `owner` still has. */
    async renew(ids: readonly string[], owner: string): Promise<ReadonlySet<string>> {
      const ours = { _id: { $in: ids }, lease_by: owner };
      const { matchedCount } = await traced('updateMany', DELIVERIES, () =>
        collection.updateMany(ours, [{ $set: { lease_until: extended } }]),
      );
      if (matchedCount === ids.length) return new Set(ids);
      const kept = await traced('find', DELIVERIES, () => collection.find(ours, { projection: { _id: 1 } }).toArray());
      return new Set(kept.map(({ _id }) => _id));
    },

    /** Releases claims, each delivery due at its time (business time). Claims of other replicas stay. */
    async release(items: readonly { id: string; dueAtMs: number }[], owner: string): Promise<void> {
      const lease = { lease_until: '', lease_by: '' };
      await Promise.all(
        items.map(({ id, dueAtMs }) =>
          update({
            _id: id,
            condition: { lease_by: owner, due_at: { $type: 'date' } },
            update: { $set: { due_at: new Date(dueAtMs) }, $unset: lease },
            isMine: (document) => document.lease_by === undefined,
          }),
        ),
      );
    },

    /** All events of the aggregates that are neither delivered nor given up. */
    async pendingOf(aggregates: readonly string[]): Promise<Pending[]> {
      if (aggregates.length === 0) return [];
      const found = await traced('find', DELIVERIES, () =>
        collection
          .find({ aggregate: { $in: aggregates }, status: 'pending' }, { projection: { aggregate: 1, seq: 1, due_at: 1 } })
          .toArray(),
      );
      return found.map((document) => ({
        id: document._id,
        aggregate: required(document, 'aggregate'),
        seq: required(document, 'seq'),
        dueAtMs: document.due_at?.getTime() ?? 0,
      }));
    },

    /**
     * Marks deliveries as awaited. It changes their version, so that the replica that has claimed one reads the mark when it
     * records the attempt. False when one of them has ended already.
     */
    async awaitAll(ids: ReadonlySet<string>): Promise<boolean> {
      const { matchedCount } = await traced('updateMany', DELIVERIES, () =>
        collection.updateMany({ _id: { $in: [...ids] }, status: 'pending' }, { $set: { awaited: true }, $inc: { version: 1 } }),
      );
      return matchedCount === ids.size;
    },

    /**
     * Writes the outcome of an attempt and ends its claim. False when the delivery has changed meanwhile, or another replica has
     * claimed it.
     */
    record: (outcome: AttemptOutcome, owner: string): Promise<boolean> => update(updateOf(outcome, owner)),

    /** A claimed delivery as it stands now; undefined when `owner` has lost the claim. */
    async findClaimed(id: string, owner: string): Promise<StoredDelivery | undefined> {
      const document = await traced('findOne', DELIVERIES, () => collection.findOne({ _id: id, lease_by: owner }));
      return document === null ? undefined : toStored(document);
    },

    /**
     * Makes the next delivery of each aggregate due now, unless it has been attempted already and follows its own schedule.
     * Returns the endpoints of these deliveries.
     */
    async wake(ended: readonly Position[], nowMs: number): Promise<Set<string>> {
      const pending = await traced('find', DELIVERIES, () =>
        collection
          .find(
            { aggregate: { $in: ended.map(({ aggregate }) => aggregate) }, status: 'pending' },
            { projection: { aggregate: 1, seq: 1, endpoint: 1 }, sort: { aggregate: 1, seq: 1 } },
          )
          .toArray(),
      );
      const next = new Map<string, DeliveryDocument>();
      for (const document of pending) {
        const aggregate = required(document, 'aggregate');
        if (!next.has(aggregate)) next.set(aggregate, document);
      }
      if (next.size === 0) return new Set();
      const ids = [...next.values()].map(({ _id }) => _id);
      await traced('updateMany', DELIVERIES, () =>
        collection.updateMany(
          { _id: { $in: ids }, status: 'pending', next_attempt_at: { $lte: new Date(nowMs) } },
          { $set: { due_at: new Date(nowMs) } },
        ),
      );
      return new Set([...next.values()].map((document) => required(document, 'endpoint')));
    },

    /** Stores the endpoint of deliveries that an earlier version has stored without one. True while there may be more of them. */
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
            update: { $set: { endpoint: endpointOf(required(document, 'merchant_id'), required(document, 'url')) } },
          },
        })),
      );
      return found.length === LABELLED_TOGETHER;
    },
  };
}

function updateOf({ stored, events }: AttemptOutcome, owner: string): ConditionalUpdate {
  const { delivery, version } = stored;
  const { set, unset } = stateFields(events.reduce(evolve, delivery.state));
  const attempts = events.flatMap((event) => (event.type === 'attempted' ? [attemptDocument(event.attempt)] : []));
  return {
    _id: delivery.id,
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
