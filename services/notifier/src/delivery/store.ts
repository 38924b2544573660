import { type Due, insertMissing, type Store, traced } from '@gerbang/store';
import type { ReceivedEvent } from '../event/received-event.ts';
import { type Attempt, type DeliveryEvent, type DeliveryState, dueAtMs, evolve, newDelivery } from './delivery.ts';

/** Attempts kept of one delivery; the oldest go first. */
const ATTEMPTS_KEPT = 50;
const DATABASE_TIME_EVERY_MS = 60_000;

/** A delivery that waits for its predecessor is looked at again after this long at the soonest, should nobody wake it. */
export const BLOCKED_MS = 1_000;
/** Longer than all an attempt takes: waiting for its turn (see `TURN_MS`), asking for the secret, and the attempt itself. */
export const LEASE_MS = 30_000;
/** A claimed delivery that has not had its turn for this long is given back. */
export const TURN_MS = 12_000;

/** What becomes of an event: sent to a URL, wanted by nobody, or kept with the reason why it can't be read or rendered. */
export type Fate =
  | { type: 'webhook'; event: string; url: string; body: string; signed: boolean }
  | { type: 'unwanted' }
  | { type: 'unreadable'; reason: string };

/** Something on the bus that is no message of ours; stored under a hash of its bytes. */
export type UnreadableMessage = { hash: string; service: string; bytes: Uint8Array; reason: string };

/** An event that is delivered to a merchant. */
export type Delivery = {
  /** Also the event's id. */
  id: string;
  merchantId: string;
  event: string;
  url: string;
  /** JSON, as it was rendered when the event was stored. */
  body: string;
  signed: boolean;
  traceparent: string;
  /** When the event occurred, business time. */
  atMs: number;
  aggregate: string;
  seq: bigint;
  state: DeliveryState;
  /** The newest, oldest first. */
  attempts: Attempt[];
};

/** A delivery as it was read, with what makes a later write conditional. */
export type StoredDelivery = { delivery: Delivery; document: DeliveryDocument };

/** Event and delivery in one document; field names here and only here. */
export type DeliveryDocument = Due & {
  _id: string;
  schema: number;
  status: DeliveryState['status'] | 'unwanted' | 'unreadable';
  version: number;
  service: string;
  merchant_id?: string;
  /** "<service>:<type>:<id>": within it the events go out in order of `seq`. */
  aggregate?: string;
  seq?: bigint;
  type?: string;
  at?: Date;
  traceparent?: string;
  event?: string;
  url?: string;
  body?: string;
  signed?: boolean;
  failures?: number;
  next_attempt_at?: Date;
  redeliver_at?: Date;
  attempts?: AttemptDocument[];
  reason?: string;
  event_schema?: number;
  payload?: Uint8Array;
};

type AttemptDocument = { at: Date; http_status?: number; duration_ms: number; answer: string; error?: string };

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
     * Stores events and messages durably, each once. Returns the deliveries that are new and free to go: they carry this process's lease, so that no
     * timer takes them. Those behind another one of the same call, or behind one that is not done yet, are left to the timer (`left`: there are some).
     */
    async insertNew(
      events: readonly { event: ReceivedEvent; fate: Fate }[],
      unreadable: readonly UnreadableMessage[],
      nowMs: number,
    ): Promise<{ free: StoredDelivery[]; left: boolean }> {
      const leaseUntil = new Date(databaseTime.nowMs() + LEASE_MS);
      const first = firstOfAggregates(events);
      const documents = events.map(({ event, fate }) =>
        newDocument(event, fate, nowMs, first.has(event.eventId) ? leaseUntil : undefined),
      );
      const inserted = await insertMissing(collection, [...documents, ...unreadable.map(unreadableDocument)]);
      const added = documents.filter((document) => inserted.has(document._id) && document.status === 'pending');
      const mine = added.filter((document) => document.lease_until !== undefined);
      const waiting = await pendingAmong(mine);
      const free: StoredDelivery[] = [];
      for (const document of mine) {
        const stored = toStored(document);
        const { aggregate, seq } = stored.delivery;
        if (waiting.some((other) => other.aggregate === aggregate && other.seq < seq)) await postpone(stored, nowMs + BLOCKED_MS);
        else free.push(stored);
      }
      return { free, left: free.length < added.length };
    },

    async find(merchantId: string, id: string): Promise<StoredDelivery | undefined> {
      const document = await traced('findOne', 'deliveries', () =>
        collection.findOne({ _id: id, merchant_id: merchantId, url: { $type: 'string' } }),
      );
      return document === null ? undefined : toStored(document);
    },

    async list(query: DeliveryQuery): Promise<Delivery[]> {
      const from = query.fromMs === undefined ? {} : { $gte: new Date(query.fromMs) };
      const to = query.toMs === undefined ? {} : { $lte: new Date(query.toMs) };
      const documents = await traced('find', 'deliveries', () =>
        collection
          .find(
            {
              merchant_id: query.merchantId,
              url: { $type: 'string' },
              ...(query.status !== undefined && { status: query.status }),
              ...(query.before !== undefined && { _id: { $lt: query.before } }),
              ...((query.fromMs !== undefined || query.toMs !== undefined) && { at: { ...from, ...to } }),
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

export function toStored(document: DeliveryDocument): StoredDelivery {
  const delivery: Delivery = {
    id: document._id,
    merchantId: present(document, 'merchant_id'),
    event: present(document, 'event'),
    url: present(document, 'url'),
    body: present(document, 'body'),
    signed: present(document, 'signed'),
    traceparent: present(document, 'traceparent'),
    atMs: present(document, 'at').getTime(),
    aggregate: present(document, 'aggregate'),
    seq: present(document, 'seq'),
    state: toState(document),
    attempts: (document.attempts ?? []).map((attempt) => ({
      atMs: attempt.at.getTime(),
      httpStatus: attempt.http_status,
      durationMs: attempt.duration_ms,
      answer: attempt.answer,
      error: attempt.error,
    })),
  };
  return { delivery, document };
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

function aggregateOf(event: ReceivedEvent): string {
  return `${event.service}:${event.aggregateType}:${event.aggregateId}`;
}

function newDocument(event: ReceivedEvent, fate: Fate, nowMs: number, leaseUntil: Date | undefined): DeliveryDocument {
  const common = {
    _id: event.eventId,
    schema: 1,
    version: 1,
    service: event.service,
    merchant_id: event.merchantId,
    aggregate: aggregateOf(event),
    seq: event.seq,
    type: event.type,
    at: new Date(event.atMs),
    traceparent: event.traceparent,
  };
  switch (fate.type) {
    case 'unwanted':
      return { ...common, status: 'unwanted' };
    case 'unreadable':
      return { ...common, status: 'unreadable', reason: fate.reason, event_schema: event.schema, payload: event.payload };
    case 'webhook': {
      const { type: _, ...webhook } = fate;
      const { set } = stateFields(newDelivery(nowMs));
      const lease = leaseUntil === undefined ? {} : { lease_until: leaseUntil };
      return { ...common, ...webhook, status: 'pending', ...set, ...lease, attempts: [] };
    }
    default:
      return fate satisfies never;
  }
}

function unreadableDocument(message: UnreadableMessage): DeliveryDocument {
  const { hash, service, bytes, reason } = message;
  return { _id: `unreadable:${hash}`, schema: 1, version: 1, status: 'unreadable', service, reason, payload: bytes };
}

function attemptDocument(attempt: Attempt): AttemptDocument {
  return {
    at: new Date(attempt.atMs),
    ...(attempt.httpStatus !== undefined && { http_status: attempt.httpStatus }),
    duration_ms: attempt.durationMs,
    answer: attempt.answer,
    ...(attempt.error !== undefined && { error: attempt.error }),
  };
}

type StateFields = { set: Partial<DeliveryDocument>; unset: (keyof DeliveryDocument)[] };

function stateFields(state: DeliveryState): StateFields {
  const due = dueAtMs(state);
  const fields: { [K in 'due_at' | 'redeliver_at' | 'next_attempt_at']: number | undefined } = {
    due_at: due,
    redeliver_at: state.redeliverAtMs,
    next_attempt_at: state.status === 'pending' ? state.nextAttemptAtMs : undefined,
  };
  const result: StateFields = { set: { status: state.status }, unset: [] };
  if (state.status === 'pending') result.set.failures = state.failures;
  for (const field of ['due_at', 'redeliver_at', 'next_attempt_at'] as const) {
    const ms = fields[field];
    if (ms === undefined) result.unset.push(field);
    else result.set[field] = new Date(ms);
  }
  return result;
}

function toState(document: DeliveryDocument): DeliveryState {
  const redeliverAtMs = document.redeliver_at?.getTime();
  switch (document.status) {
    case 'pending':
      return {
        status: 'pending',
        failures: present(document, 'failures'),
        nextAttemptAtMs: present(document, 'next_attempt_at').getTime(),
        redeliverAtMs,
      };
    case 'delivered':
    case 'failed':
      return { status: document.status, redeliverAtMs };
    case 'unwanted':
    case 'unreadable':
      throw new Error(`event ${document._id} is ${document.status}: no delivery`);
    default:
      return document.status satisfies never;
  }
}

function present<K extends keyof DeliveryDocument>(document: DeliveryDocument, field: K): NonNullable<DeliveryDocument[K]> {
  const value: DeliveryDocument[K] = document[field];
  if (value === undefined || value === null) throw new Error(`event ${document._id} is ${document.status} without ${field}`);
  return value;
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
