import type { EventType } from '@gerbang/present';
import {
  type AfterWrite,
  type Aggregates,
  dateRange,
  type NewEvent,
  openAggregates,
  type Page,
  type Store,
} from '@gerbang/store';
import {
  type ChangedFields,
  changeOf,
  fromDocument,
  newDocument,
  type PaymentRequestDocument,
  type StoredDocument,
  type StoredPaymentRequest,
  sortIdOf,
} from './document.ts';
import type { Kinds } from './kind.ts';
import { evolve, type PaymentRequestEvent, type PaymentRequestState, type PaymentRequestStatus } from './payment-request.ts';
import type { Details, PaymentRequest, PaymentRequestOrder } from './request.ts';

/** The collection has the name that it was made with. */
export const PAYMENT_REQUESTS = 'payables';

/** Newest first; `before` is a `publicId`. */
export type PaymentRequestQuery = Page & {
  kind: string;
  merchantId: string;
  accountId: string;
  status: PaymentRequestStatus | undefined;
  merchantReffNo: string | undefined;
  /** The id of the request that they are openings of. */
  parentId: string | undefined;
  fromMs: number | undefined;
  toMs: number | undefined;
};

export type PaymentRequestStore = {
  aggregates: Aggregates<PaymentRequestDocument, EventType<'money-in'>>;
  /** Undefined when the id is taken. */
  insert(
    order: PaymentRequestOrder,
    state: PaymentRequestState,
    details: Details,
    events: readonly NewEvent<EventType<'money-in'>>[],
  ): Promise<StoredPaymentRequest | undefined>;
  /** A new one without events, or the one that an interrupted creation has made under this id already. */
  insertOrFind(
    order: PaymentRequestOrder,
    state: PaymentRequestState,
    details: Details,
  ): Promise<{ request: StoredPaymentRequest; isCreated: boolean }>;
  find(id: string): Promise<StoredPaymentRequest | undefined>;
  /** In any order, without those that are not there. */
  findMany(ids: readonly string[]): Promise<StoredPaymentRequest[]>;
  findByPublicId(kind: string, accountId: string, publicId: string): Promise<StoredPaymentRequest | undefined>;
  /** Writes the events and the state after them; undefined when the request has changed meanwhile. */
  apply(
    request: StoredPaymentRequest,
    events: readonly PaymentRequestEvent[],
    fields: ChangedFields,
  ): Promise<StoredPaymentRequest | undefined>;
  /** Puts its timer off: there is something to wait for. One that has changed meanwhile stays as it is. */
  postpone(request: StoredPaymentRequest, wait: { untilMs: number; asked: number }): Promise<void>;
  list(query: PaymentRequestQuery): Promise<StoredPaymentRequest[]>;
  fromDocument(document: StoredDocument): StoredPaymentRequest;
};

/** Opens the payment requests of all kinds with the indexes that their queries need. */
export async function openPaymentRequestStore(store: Store, kinds: Kinds, afterWrite: AfterWrite): Promise<PaymentRequestStore> {
  const aggregates = await openAggregates<PaymentRequestDocument, EventType<'money-in'>>(store, PAYMENT_REQUESTS, {
    schema: 1,
    afterWrite,
  });
  await aggregates.collection.createIndex({ account_id: 1, kind: 1, sort_id: -1 }, { name: 'newest' });
  const read = (document: StoredDocument) => fromDocument(kinds, document);
  return {
    aggregates,
    fromDocument: (document) => read(aggregates.read(document)),
    async insert(order, state, details, events) {
      const document = await aggregates.insert(order.id, order.merchantId, newDocument(kinds, order, state, details), events);
      return document && read(document);
    },
    async insertOrFind(order, state, details) {
      const fields = newDocument(kinds, order, state, details);
      const { document, created } = await aggregates.insertOrFind(order.id, order.merchantId, fields, []);
      return { request: read(document), isCreated: created };
    },
    async find(id) {
      const document = await aggregates.find(id);
      return document && read(document);
    },
    async findMany(ids) {
      return (await aggregates.list({ _id: { $in: [...ids] } }, {})).map(read);
    },
    async findByPublicId(kind, accountId, publicId) {
      const document = await aggregates.findOne({ account_id: accountId, kind, sort_id: sortIdOf(publicId) });
      return document && read(document);
    },
    async apply(request, events, fields) {
      const change = changeOf(kinds, changed(request, events, fields), fields);
      const document = await aggregates.change(request.document, change);
      return document && read(document);
    },
    async postpone({ document }, { untilMs, asked }) {
      const set = { due_at: new Date(untilMs), asked };
      await aggregates.change(document, { set, unset: ['lease_until', 'lease_by'] });
    },
    async list(query) {
      const createdAt = dateRange(query.fromMs, query.toMs);
      const found = await aggregates.list(
        {
          account_id: query.accountId,
          kind: query.kind,
          merchant_id: query.merchantId,
          ...(query.before !== undefined && { sort_id: { $lt: sortIdOf(query.before) } }),
          ...(query.status !== undefined && { status: query.status }),
          ...(query.merchantReffNo !== undefined && { merchant_reff_no: query.merchantReffNo }),
          ...(query.parentId !== undefined && { 'details.link': query.parentId }),
          ...(createdAt !== undefined && { created_at: createdAt }),
        },
        { sort: { sort_id: -1 }, limit: query.limit },
      );
      return found.map(read);
    },
  };
}

/** The request as it is once the events have been applied and the fields set: what is then written, and what events say of it. */
export function changed(
  request: PaymentRequest,
  events: readonly PaymentRequestEvent[],
  { details, payment, nowMs }: Omit<ChangedFields, 'published'>,
): PaymentRequest {
  return {
    ...request,
    state: events.reduce(evolve, request.state),
    details: details ?? request.details,
    payment: payment ?? request.payment,
    updatedAtMs: nowMs,
  };
}
