import { randomBytes, randomUUID } from 'node:crypto';
import { currentTraceparent } from '@gerbang/runtime';
import { Binary, type Collection, type Document, type Filter, type OptionalUnlessRequiredId } from 'mongodb';
import { combineUpdates } from './combine-updates.ts';
import type { Store } from './connection.ts';
import { combineInserts } from './insert-missing.ts';
import { traced } from './traced.ts';
import { type Upcaster, upcast } from './upcast.ts';

/**
 * An event on its way into an aggregate's tail; `payload` is a serialized message. `Type`: the types that its owner may publish.
 */
export type NewEvent<Type extends string = string> = { type: Type; schema: number; payload: Uint8Array; atMs: number };

/** An event as it stands in the tail and, once confirmed, in `<collection>_events`. */
export type StoredEvent = { seq: bigint; event: string; schema: number; at: Date; payload: Binary; traceparent: string };

/** What every aggregate's document has beside its state (architecture §3). */
export type AggregateDocument<State extends Document> = State & {
  _id: string;
  schema: number;
  version: bigint;
  /** Tells this aggregate from an earlier, removed one with the same id: a decision on that one can't touch this. */
  incarnation: string;
  /** Names the newest change, so that who has made it knows it again; none before the first. */
  write_id?: bigint;
  /** The sequence number of the newest event, 0 before the first. */
  last_seq: bigint;
  /** Whose events these are; the relay puts it on every message. */
  merchant_id: string;
  /** Events that the notifier has not confirmed yet, oldest first. */
  tail: StoredEvent[];
};

/** A state change: the fields to set and to remove, and the events it means. */
export type Change<State, Type extends string = string> = {
  set: Partial<State>;
  unset?: readonly (keyof State & string)[];
  events?: readonly NewEvent<Type>[];
  /** Leaves publishing to the next write of the aggregate, or to the sweep: for events that can wait. */
  quiet?: boolean;
};

/**
 * A collection of aggregates: one document = state + outbox, written in one atomic update that is conditional on the version.
 * `Type` has no default: each owner names the closed list of events that it may publish (architecture §3).
 */
export type Aggregates<State extends Document, Type extends string> = {
  collection: Collection<AggregateDocument<State>>;
  /** A document read from the collection directly, in the current schema. */
  read(document: AggregateDocument<State>): AggregateDocument<State>;
  /** Creates the aggregate; undefined when the id is taken. */
  insert(
    id: string,
    merchantId: string,
    state: State,
    events: readonly NewEvent<Type>[],
  ): Promise<AggregateDocument<State> | undefined>;
  /**
   * Applies a change if the aggregate still has the version that was read; undefined when it has moved on (read it again and
   * decide anew). Changes of different aggregates that concur travel as one command.
   */
  change(current: AggregateDocument<State>, change: Change<State, Type>): Promise<AggregateDocument<State> | undefined>;
  /**
   * Creates the aggregate, or gives the one that an interrupted creation has made under this id already; `created` tells which.
   */
  insertOrFind(
    id: string,
    merchantId: string,
    state: State,
    events: readonly NewEvent<Type>[],
  ): Promise<{ document: AggregateDocument<State>; created: boolean }>;
  /** `linearizable` after a duplicate key or a lost answer: what is there now, not what a majority had a moment ago. */
  find(id: string, options?: { linearizable: boolean }): Promise<AggregateDocument<State> | undefined>;
  /** The first one that a filter matches, in the current schema. */
  findOne(filter: Filter<AggregateDocument<State>>): Promise<AggregateDocument<State> | undefined>;
  /** All that a filter matches, in an order and up to a number, in the current schema. */
  list(
    filter: Filter<AggregateDocument<State>>,
    options: { sort?: Readonly<Record<string, 1 | -1>>; limit?: number },
  ): Promise<AggregateDocument<State>[]>;
  /** Removes an aggregate that has never had an event, if it still has this version. */
  removeUnannounced(current: AggregateDocument<State>): Promise<boolean>;
};

/** Called with the document after each write that added events; the relay hooks in here. */
export type AfterWrite = (type: string, document: AggregateDocument<Document>) => void;

/**
 * Opens a collection of aggregates and its indexes. `schema` is the version of the state's shape, stored on each document;
 * `upcasters` lift older ones, one for each earlier version.
 */
export async function openAggregates<State extends Document, Type extends string>(
  store: Store,
  name: string,
  options: { schema: number; upcasters?: readonly Upcaster[]; afterWrite?: AfterWrite },
): Promise<Aggregates<State, Type>> {
  const upcasters = options.upcasters ?? [];
  if (upcasters.length !== options.schema - 1)
    throw new Error(`${name} has schema ${options.schema} and ${upcasters.length} upcasters`);
  const collection = store.collection<AggregateDocument<State>>(name);
  const read = (document: AggregateDocument<State>) =>
    document.schema === options.schema ? document : upcast(document, upcasters);
  await collection.createIndex(
    { 'tail.at': 1 },
    { name: 'unconfirmed', partialFilterExpression: { 'tail.0': { $exists: true } } },
  );
  const insertDocument = combineInserts(collection);
  const update = combineUpdates(collection);
  const announce = (document: AggregateDocument<State>, events: readonly NewEvent[] | undefined) => {
    if (events !== undefined && events.length > 0) options.afterWrite?.(name, document);
  };
  // The driver's type of a found document says again that it has an `_id`.
  const readFound = (found: unknown) => read(found as AggregateDocument<State>);
  const aggregates: Aggregates<State, Type> = {
    collection,
    read,
    async insert(id, merchantId, state, events) {
      const document = {
        ...state,
        _id: id,
        schema: options.schema,
        version: 1n,
        incarnation: randomUUID(),
        last_seq: BigInt(events.length),
        merchant_id: merchantId,
        tail: toTail(events, 0n),
      } as AggregateDocument<State>;
      if (!(await insertDocument(document as OptionalUnlessRequiredId<AggregateDocument<State>>))) return undefined;
      announce(document, events);
      return document;
    },
    async change(current, change) {
      const { _id, version, incarnation } = current;
      const fresh = freshFields(current, change, options.schema);
      const pushed = toTail(change.events ?? [], current.last_seq);
      const isMade = await update({
        _id,
        condition: { version, incarnation },
        update: updateOf(fresh, pushed, change.unset),
        isMine: (stored) => stored.incarnation === incarnation && stored.write_id === fresh.write_id,
      });
      if (!isMade) return undefined;
      const after = changed(current, fresh, pushed, change.unset);
      if (!change.quiet) announce(after, change.events);
      return after;
    },
    async find(id, options) {
      const filter = { _id: id } as Filter<AggregateDocument<State>>;
      const found = await traced('findOne', name, () =>
        collection.findOne(filter, options?.linearizable ? { readConcern: 'linearizable' } : {}),
      );
      return found === null ? undefined : readFound(found);
    },
    async insertOrFind(id, merchantId, state, events) {
      const document = await aggregates.insert(id, merchantId, state, events);
      if (document !== undefined) return { document, created: true };
      const known = await aggregates.find(id, { linearizable: true });
      if (known === undefined) throw new Error(`${name} ${id} is taken and not there`);
      return { document: known, created: false };
    },
    async findOne(filter) {
      const found = await traced('findOne', name, () => collection.findOne(filter));
      return found === null ? undefined : readFound(found);
    },
    async list(filter, options) {
      const found = await traced('find', name, () => collection.find(filter, options).toArray());
      return found.map(readFound);
    },
    async removeUnannounced(current) {
      const filter = { _id: current._id, version: current.version, incarnation: current.incarnation, last_seq: 0n } as Filter<
        AggregateDocument<State>
      >;
      const { deletedCount } = await traced('deleteOne', name, () => collection.deleteOne(filter));
      return deletedCount === 1;
    },
  };
  return aggregates;
}

/**
 * What a change sets. A document of an older schema is written whole in the current one: no mixture of the two is ever stored.
 */
function freshFields<State extends Document>(current: AggregateDocument<State>, change: Change<State>, schema: number) {
  const lifted = current.schema === schema ? {} : { ...stateOf(current, change.unset), schema };
  const last_seq = current.last_seq + BigInt(change.events?.length ?? 0);
  return { ...lifted, ...change.set, last_seq, write_id: nextWriteId() };
}

function updateOf(fresh: Document, pushed: readonly StoredEvent[], unset: readonly string[] = []): Document {
  return {
    $set: fresh,
    $inc: { version: 1n },
    ...(pushed.length > 0 && { $push: { tail: { $each: pushed } } }),
    ...(unset.length > 0 && { $unset: Object.fromEntries(unset.map((field) => [field, ''])) }),
  };
}

/**
 * The document after a change. No other process can have changed its state, or the change would not have been made; what has
 * meanwhile been confirmed of its tail, and a timer's lease, are as they were read.
 */
function changed<State extends Document>(
  current: AggregateDocument<State>,
  fresh: Document,
  pushed: readonly StoredEvent[],
  unset: readonly string[] = [],
): AggregateDocument<State> {
  const after: Document = { ...current, ...fresh, version: current.version + 1n, tail: [...current.tail, ...pushed] };
  for (const field of unset) delete after[field];
  return after as AggregateDocument<State>;
}

/** Ids of this process's writes: one random number, and counted on from there. */
let lastWriteId = randomBytes(8).readBigInt64LE();

function nextWriteId(): bigint {
  lastWriteId = BigInt.asIntN(64, lastWriteId + 1n);
  return lastWriteId;
}

function toTail(events: readonly NewEvent[], lastSeq: bigint): StoredEvent[] {
  const traceparent = currentTraceparent();
  return events.map((event, i) => ({
    seq: lastSeq + BigInt(i) + 1n,
    event: event.type,
    schema: event.schema,
    at: new Date(event.atMs),
    payload: new Binary(event.payload),
    traceparent,
  }));
}

/** The fields of the state alone, without those that the change removes. */
function stateOf(document: Document, removed: readonly string[] = []): Document {
  const { _id, schema, version, incarnation, write_id, last_seq, merchant_id, tail, ...state } = document;
  return Object.fromEntries(Object.entries(state).filter(([field]) => !removed.includes(field)));
}
