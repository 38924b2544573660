import type { EventType } from '@gerbang/present';
import { type AfterWrite, type Aggregates, dateRange, type NewEvent, openAggregates, type Store } from '@gerbang/store';
import { evolve, type PayableEvent, type PayableState, type PayableStatus } from './payable.ts';
import type { Details, Kind } from './product.ts';
import {
  type Beside,
  changeOf,
  fromDocument,
  newDocument,
  type PayableDocument,
  type PayableOrder,
  type StoredPayable,
  type StoredPayableDocument,
  sortIdOf,
} from './stored-payable.ts';

export const PAYABLES = 'payables';

/** Newest first; `before` is a `publicId`. */
export type PayableQuery = {
  kind: Kind;
  merchantId: string;
  accountId: string;
  limit: number;
  before: string | undefined;
  status: PayableStatus | undefined;
  merchantReffNo: string | undefined;
  /** Of histories: the id of their link. */
  link: string | undefined;
  fromMs: number | undefined;
  toMs: number | undefined;
};

export type PayableStore = {
  aggregates: Aggregates<PayableDocument, EventType<'money-in'>>;
  /** Undefined when the id is taken. */
  insert(
    order: PayableOrder,
    state: PayableState,
    details: Details,
    events: readonly NewEvent<EventType<'money-in'>>[],
  ): Promise<StoredPayable | undefined>;
  find(id: string): Promise<StoredPayable | undefined>;
  /** In any order, without those that are not there. */
  findMany(ids: readonly string[]): Promise<StoredPayable[]>;
  findByPublicId(kind: Kind, accountId: string, publicId: string): Promise<StoredPayable | undefined>;
  /** The payable as it will be once the events have been applied; what `apply` then writes. */
  after(payable: StoredPayable, events: readonly PayableEvent[], beside: Omit<Beside, 'published'>): StoredPayable;
  /** Writes the events and the state after them; undefined when the payable has changed meanwhile. */
  apply(payable: StoredPayable, events: readonly PayableEvent[], beside: Beside): Promise<StoredPayable | undefined>;
  /** The same for many; those that have changed meanwhile stay as they are. */
  applyMany(changes: readonly { payable: StoredPayable; events: readonly PayableEvent[]; beside: Beside }[]): Promise<void>;
  /** Puts timers off: there is something to wait for. Those that have changed meanwhile stay as they are. */
  postponeMany(waits: readonly { payable: StoredPayable; untilMs: number; asked: number }[]): Promise<void>;
  list(query: PayableQuery): Promise<StoredPayable[]>;
  fromDocument(document: StoredPayableDocument): StoredPayable;
};

/** Opens the payables of all products with the indexes that their queries need. */
export async function openPayableStore(store: Store, afterWrite: AfterWrite): Promise<PayableStore> {
  const aggregates = await openAggregates<PayableDocument, EventType<'money-in'>>(store, PAYABLES, { schema: 1, afterWrite });
  const { collection } = aggregates;
  await collection.createIndex({ account_id: 1, kind: 1, sort_id: -1 }, { name: 'newest' });
  const read = (document: StoredPayableDocument) => fromDocument(aggregates.read(document));
  const after: PayableStore['after'] = (payable, events, { details, payment, nowMs }) => ({
    ...payable,
    state: events.reduce(evolve, payable.state),
    details: details ?? payable.details,
    payment: payment ?? payable.payment,
    updatedAtMs: nowMs,
  });
  return {
    aggregates,
    after,
    fromDocument: read,
    async insert(order, state, details, events) {
      const document = await aggregates.insert(order.id, order.merchantId, newDocument(order, state, details), events);
      return document === undefined ? undefined : fromDocument(document);
    },
    async find(id) {
      const document = await aggregates.find(id);
      return document === undefined ? undefined : fromDocument(document);
    },
    async findMany(ids) {
      const documents = await collection.find({ _id: { $in: [...ids] } }).toArray();
      return documents.map((document) => read(document as StoredPayableDocument));
    },
    async findByPublicId(kind, accountId, publicId) {
      const document = await collection.findOne({ account_id: accountId, kind, sort_id: sortIdOf(publicId) });
      return document === null ? undefined : read(document as StoredPayableDocument);
    },
    async apply(payable, events, beside) {
      const document = await aggregates.change(payable.document, changeOf(after(payable, events, beside), beside));
      return document === undefined ? undefined : fromDocument(document);
    },
    async applyMany(changes) {
      await Promise.all(
        changes.map(({ payable, events, beside }) =>
          aggregates.change(payable.document, changeOf(after(payable, events, beside), beside)),
        ),
      );
    },
    async postponeMany(waits) {
      await Promise.all(
        waits.map(({ payable, untilMs, asked }) =>
          aggregates.change(payable.document, {
            set: { due_at: new Date(untilMs), asked },
            unset: ['lease_until', 'lease_by'],
          }),
        ),
      );
    },
    async list(query) {
      const createdAt = dateRange(query.fromMs, query.toMs);
      const documents = await collection
        .find(
          {
            account_id: query.accountId,
            kind: query.kind,
            merchant_id: query.merchantId,
            ...(query.before !== undefined && { sort_id: { $lt: sortIdOf(query.before) } }),
            ...(query.status !== undefined && { status: query.status }),
            ...(query.merchantReffNo !== undefined && { merchant_reff_no: query.merchantReffNo }),
            ...(query.link !== undefined && { 'details.link': query.link }),
            ...(createdAt !== undefined && { created_at: createdAt }),
          },
          { sort: { sort_id: -1 }, limit: query.limit },
        )
        .toArray();
      return documents.map((document) => read(document as StoredPayableDocument));
    },
  };
}
