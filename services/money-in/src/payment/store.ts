import type { EventType } from '@gerbang/present';
import { type AfterWrite, type Aggregates, dateRange, openAggregates, type Store } from '@gerbang/store';
import type { PaymentEvent, PaymentState } from './payment.ts';
import {
  type Beside,
  changeOf,
  fromDocument,
  newDocument,
  type PaymentDocument,
  type PaymentOrder,
  type StoredPayment,
  type StoredPaymentDocument,
} from './stored-payment.ts';

export const PAYMENTS = 'payments';

/** Payments of virtual accounts, newest first; `before` is a public id. */
export type PaymentQuery = {
  product: string;
  merchantId: string;
  accountId: string;
  limit: number;
  before: string | undefined;
  virtualAccountId: string | undefined;
  merchantReffNo: string | undefined;
  fromMs: number | undefined;
  toMs: number | undefined;
};

export type PaymentStore = {
  aggregates: Aggregates<PaymentDocument, EventType<'money-in'>>;
  /** Undefined when the rail has told of it before. Its timer takes it up should this process die. */
  insert(order: PaymentOrder, state: PaymentState, nowMs: number): Promise<StoredPayment | undefined>;
  find(id: string, options?: { linearizable: boolean }): Promise<StoredPayment | undefined>;
  findByPublicId(product: string, accountId: string, publicId: string): Promise<StoredPayment | undefined>;
  /** Writes the events and the state after them; undefined when it has changed meanwhile. */
  apply(payment: StoredPayment, events: readonly PaymentEvent[], beside: Beside): Promise<StoredPayment | undefined>;
  /** The same for many; those that have changed meanwhile stay as they are. */
  applyMany(changes: readonly { payment: StoredPayment; events: readonly PaymentEvent[] }[], beside: Beside): Promise<void>;
  list(query: PaymentQuery): Promise<StoredPayment[]>;
  /** What waits in suspense for an operator, oldest first. */
  listSuspended(limit: number): Promise<StoredPayment[]>;
  fromDocument(document: StoredPaymentDocument): StoredPayment;
};

/** Opens the payments of all rails with the indexes that their queries need. */
export async function openPaymentStore(store: Store, afterWrite: AfterWrite): Promise<PaymentStore> {
  const aggregates = await openAggregates<PaymentDocument, EventType<'money-in'>>(store, PAYMENTS, { schema: 1, afterWrite });
  const { collection } = aggregates;
  await collection.createIndex({ account_id: 1, product: 1, public_id: -1 }, { name: 'newest' });
  await collection.createIndex(
    { suspended_at: 1 },
    { name: 'suspended', partialFilterExpression: { suspended_at: { $type: 'date' } } },
  );
  const read = (document: StoredPaymentDocument) => fromDocument(aggregates.read(document));
  return {
    aggregates,
    fromDocument: read,
    async insert(order, state, nowMs) {
      const inserted = await aggregates.insert(order.id, order.merchantId, newDocument(order, state, nowMs), []);
      return inserted === undefined ? undefined : fromDocument(inserted);
    },
    async find(id, options) {
      const document = await aggregates.find(id, options);
      return document === undefined ? undefined : fromDocument(document);
    },
    async findByPublicId(product, accountId, publicId) {
      const document = await collection.findOne({ account_id: accountId, product, public_id: publicId });
      return document === null ? undefined : read(document as StoredPaymentDocument);
    },
    async apply(payment, events, beside) {
      const document = await aggregates.change(payment.document, changeOf(payment, events, beside));
      return document === undefined ? undefined : fromDocument(document);
    },
    async applyMany(changes, beside) {
      await Promise.all(
        changes.map(({ payment, events }) => aggregates.change(payment.document, changeOf(payment, events, beside))),
      );
    },
    async list(query) {
      const receivedAt = dateRange(query.fromMs, query.toMs);
      const documents = await collection
        .find(
          {
            account_id: query.accountId,
            product: query.product,
            merchant_id: query.merchantId,
            status: { $in: ['paid', 'settled'] },
            ...(query.before !== undefined && { public_id: { $lt: query.before } }),
            ...(query.virtualAccountId !== undefined && { 'virtual_account.id': query.virtualAccountId }),
            ...(query.merchantReffNo !== undefined && { merchant_reff_no: query.merchantReffNo }),
            ...(receivedAt !== undefined && { received_at: receivedAt }),
          },
          { sort: { public_id: -1 }, limit: query.limit },
        )
        .toArray();
      return documents.map((document) => read(document as StoredPaymentDocument));
    },
    async listSuspended(limit) {
      const documents = await collection
        .find({ suspended_at: { $type: 'date' } }, { sort: { suspended_at: 1 }, limit })
        .toArray();
      return documents.map((document) => read(document as StoredPaymentDocument));
    },
  };
}
