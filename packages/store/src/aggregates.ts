import { randomUUID } from 'node:crypto';
import { currentTraceparent } from '@gerbang/runtime';
import {
  type AnyBulkWriteOperation,
  Binary,
  type Collection,
  type Document,
  type Filter,
  type OptionalUnlessRequiredId,
  type UpdateFilter,
} from 'mongodb';
import type { Store } from './connection.ts';
import { isDuplicateKey } from './duplicate-key.ts';
import { traced } from './traced.ts';
import { type Upcaster, upcast } from './upcast.ts';

/** An event on its way into an aggregate's tail; `payload` is a serialized message. */
export type NewEvent = { type: string; schema: number; payload: Uint8Array; atMs: number };

/** An event as it stands in the tail and, once confirmed, in `<collection>_events`. */
export type StoredEvent = { seq: bigint; event: string; schema: number; at: Date; payload: Binary; traceparent: string };

/** What every aggregate's document has beside its state (architecture §3). */
export type AggregateDocument<State extends Document> = State & {
  _id: string;
  schema: number;
  version: bigint;
  /** Tells this aggregate from an earlier, removed one with the same id: a decision on that one can't touch this. */
  incarnation: string;
  /** The sequence number of the newest event, 0 before the first. */
  last_seq: bigint;
  /** Whose events these are; the relay puts it on every message. */
  merchant_id: string;
  /** Events that the notifier has not confirmed yet, oldest first. */
  tail: StoredEvent[];
};

/** A state change: the fields to set and to remove, and the events it means. */
export type Change<State> = {
  set: Partial<State>;
  unset?: readonly (keyof State & string)[];
  events?: readonly NewEvent[];
  /** Leaves publishing to the next write of the aggregate, or to the sweep: for events that nobody waits for. */
  quiet?: boolean;
};

/** Which version of which aggregate a change was decided on. */
export type Versioned = Pick<AggregateDocument<Document>, '_id' | 'schema' | 'version' | 'incarnation' | 'last_seq'>;

/** A collection of aggregates: one document = state + outbox, written in one atomic update that is conditional on the version. */
export type Aggregates<State extends Document> = {
  collection: Collection<AggregateDocument<State>>;
  /** A document read from the collection directly, in the current schema. */
  read(document: AggregateDocument<State>): AggregateDocument<State>;
  /** Creates the aggregate; undefined when the id is taken. */
  insert(
    id: string,
    merchantId: string,
    state: State,
    events: readonly NewEvent[],
  ): Promise<AggregateDocument<State> | undefined>;
  /** Applies a change if the aggregate still has the version that was read; undefined when it has moved on (read it again and decide anew). */
  change(current: Versioned, change: Change<State>): Promise<AggregateDocument<State> | undefined>;
  /**
   * The same for many aggregates at once, in two calls: each changes if it still has the version that was read. Those that have moved on stay as they are; nothing
   * tells them apart, so this is for timers, which come back to them.
   */
  changeMany(changes: readonly { current: Versioned; change: Change<State> }[]): Promise<void>;
  /** `linearizable` after a duplicate key or a lost answer: what is there now, not what a majority had a moment ago. */
  find(id: string, options?: { linearizable: boolean }): Promise<AggregateDocument<State> | undefined>;
  /** Removes an aggregate that has never had an event, if it still has this version. */
  removeUnannounced(current: Versioned): Promise<boolean>;
};

/** Called with the document after each write that added events; the relay hooks in here. */
export type AfterWrite = (type: string, document: AggregateDocument<Document>) => void;

/**
 * Opens a collection of aggregates and its indexes. `schema` is the version of the state's shape, stored on each document; `upcasters` lift older ones,
 * one for each earlier version.
 */
export async function openAggregates<State extends Document>(
  store: Store,
  name: string,
  options: { schema: number; upcasters?: readonly Upcaster[]; afterWrite?: AfterWrite },
): Promise<Aggregates<State>> {
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
  const announce = (document: AggregateDocument<State>, events: readonly NewEvent[] | undefined) => {
    if (events !== undefined && events.length > 0) options.afterWrite?.(name, document);
  };
  return {
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
      try {
        await traced('insertOne', name, () =>
          collection.insertOne(document as OptionalUnlessRequiredId<AggregateDocument<State>>),
        );
      } catch (error) {
        if (isDuplicateKey(error)) return undefined;
        throw error;
      }
      announce(document, events);
      return document;
    },
    async change(current, change) {
      const { events } = change;
      const filter = filterOf(current) as Filter<AggregateDocument<State>>;
      const update = updateOf(current, change, options.schema);
      const after = await traced('findOneAndUpdate', name, () =>
        collection.findOneAndUpdate(filter, update as UpdateFilter<AggregateDocument<State>>, { returnDocument: 'after' }),
      );
      if (after === null) return undefined;
      if (!change.quiet) announce(after as AggregateDocument<State>, events);
      return after as AggregateDocument<State>;
    },
    async changeMany(changes) {
      if (changes.length === 0) return;
      const operations = changes.map(({ current, change }) => ({
        updateOne: { filter: filterOf(current), update: updateOf(current, change, options.schema) },
      })) as unknown as AnyBulkWriteOperation<AggregateDocument<State>>[];
      await traced('bulkWrite', name, () => collection.bulkWrite(operations, { ordered: false }));
      const ids = changes.filter(({ change }) => !change.quiet && change.events?.length).map(({ current }) => current._id);
      const announced = { _id: { $in: ids }, 'tail.0': { $exists: true } } as unknown as Filter<AggregateDocument<State>>;
      const after = await traced('find', name, () => collection.find(announced).toArray());
      // Whatever their tails hold has happened, whoever has written it.
      for (const document of after) options.afterWrite?.(name, document as AggregateDocument<State>);
    },
    async find(id, options) {
      const filter = { _id: id } as Filter<AggregateDocument<State>>;
      const found = await traced('findOne', name, () =>
        collection.findOne(filter, options?.linearizable ? { readConcern: 'linearizable' } : {}),
      );
      return found === null ? undefined : read(found as AggregateDocument<State>);
    },
    async removeUnannounced(current) {
      const filter = { _id: current._id, version: current.version, incarnation: current.incarnation, last_seq: 0n } as Filter<
        AggregateDocument<State>
      >;
      const { deletedCount } = await traced('deleteOne', name, () => collection.deleteOne(filter));
      return deletedCount === 1;
    },
  };
}

/** The aggregate as the change was decided on. */
function filterOf({ _id, version, incarnation }: Versioned): Document {
  return { _id, version, incarnation };
}

function updateOf<State>(current: Versioned, change: Change<State>, schema: number): Document {
  const events = change.events ?? [];
  // A document of an older schema is written whole in the current one: no mixture of the two is ever stored.
  const lifted = current.schema === schema ? {} : { ...stateOf(current, change.unset), schema };
  const update: Document = {
    $set: { ...lifted, ...change.set, last_seq: current.last_seq + BigInt(events.length) },
    $inc: { version: 1n },
  };
  if (events.length > 0) update.$push = { tail: { $each: toTail(events, current.last_seq) } };
  if (change.unset !== undefined && change.unset.length > 0) {
    update.$unset = Object.fromEntries(change.unset.map((field) => [field, '']));
  }
  return update;
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
  const { _id, schema, version, incarnation, last_seq, merchant_id, tail, ...state } = document;
  return Object.fromEntries(Object.entries(state).filter(([field]) => !removed.includes(field)));
}
