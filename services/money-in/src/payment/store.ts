import type { EventType } from '@gerbang/present';
import { type AfterWrite, type Aggregates, dateRange, openAggregates, type Page, type Store } from '@gerbang/store';
import {
  type ChangedFields,
  changeOf,
  fromDocument,
  newDocument,
  type PaymentDocument,
  type StoredPayment,
  type StoredPaymentDocument,
} from './document.ts';
import type { PaymentOrder } from './order.ts';
import { evolve } from './payment.ts';
import type { PaymentEvent, PaymentState } from './state.ts';

export const PAYMENTS = 'payments';

/** Payments that are resources of their own, newest first; `before` is a public id. */
export type PaymentQuery = Page & {
  product: string;
  merchantId: string;
  accountId: string;
  /** The public id of their payment request. */
  numberId: string | undefined;
  merchantReffNo: string | undefined;
  fromMs: number | undefined;
  toMs: number | undefined;
};

/** With `amountsSen` only those of these amounts. */
export type PaidQuery = {
  rail: string;
  fromMs: number;
  toMs: number;
  amountsSen: readonly bigint[] | undefined;
  limit: number;
};

export type PaymentStore = {
  aggregates: Aggregates<PaymentDocument, EventType<'money-in'>>;
  /** Undefined when the rail has reported it before. Its timer takes it up should this process die. */
  insert(order: PaymentOrder, state: PaymentState, nowMs: number): Promise<StoredPayment | undefined>;
  find(id: string, options?: { linearizable: boolean }): Promise<StoredPayment | undefined>;
  findByPublicId(product: string, accountId: string, publicId: string): Promise<StoredPayment | undefined>;
  /** Writes the events and the state after them; undefined when it has changed meanwhile. */
  apply(payment: StoredPayment, events: readonly PaymentEvent[], fields: ChangedFields): Promise<StoredPayment | undefined>;
  list(query: PaymentQuery): Promise<StoredPayment[]>;
  /** What a rail has reported as paid in a period by its own time, in that order, up to a number. */
  listPaid(query: PaidQuery): Promise<StoredPayment[]>;
  /** What waits in suspense for an operator, oldest first. */
  listSuspended(limit: number): Promise<StoredPayment[]>;
  /** Whose reversal waits for an operator, oldest first. */
  listContested(limit: number): Promise<StoredPayment[]>;
  fromDocument(document: StoredPaymentDocument): StoredPayment;
};

/** Opens the payments of all rails with the indexes that their queries need. */
export async function openPaymentStore(store: Store, afterWrite: AfterWrite): Promise<PaymentStore> {
  const aggregates = await openAggregates<PaymentDocument, EventType<'money-in'>>(store, PAYMENTS, { schema: 1, afterWrite });
  const { collection } = aggregates;
  await collection.createIndex({ account_id: 1, product: 1, public_id: -1 }, { name: 'newest' });
  await collection.createIndex({ rail: 1, paid_at: 1 }, { name: 'paid' });
  for (const field of ['suspended_at', 'contested_at']) {
    const partialFilterExpression = { [field]: { $type: 'date' } };
    await collection.createIndex({ [field]: 1 }, { name: field.replace('_at', ''), partialFilterExpression });
  }
  return {
    aggregates,
    fromDocument: (document) => fromDocument(aggregates.read(document)),
    async insert(order, state, nowMs) {
      const inserted = await aggregates.insert(order.id, order.merchantId, newDocument(order, state, nowMs), []);
      return inserted === undefined ? undefined : fromDocument(inserted);
    },
    async find(id, options) {
      const document = await aggregates.find(id, options);
      return document === undefined ? undefined : fromDocument(document);
    },
    async findByPublicId(product, accountId, publicId) {
      const document = await aggregates.findOne({ account_id: accountId, product, public_id: publicId });
      return document && fromDocument(document);
    },
    async apply(payment, events, fields) {
      const document = await aggregates.change(payment.document, changeOf(payment, events.reduce(evolve, payment.state), fields));
      return document === undefined ? undefined : fromDocument(document);
    },
    async list(query) {
      const receivedAt = dateRange(query.fromMs, query.toMs);
      const found = await aggregates.list(
        {
          account_id: query.accountId,
          product: query.product,
          merchant_id: query.merchantId,
          status: { $in: ['paid', 'settled'] },
          ...(query.before !== undefined && { public_id: { $lt: query.before } }),
          ...(query.numberId !== undefined && { 'virtual_account.id': query.numberId }),
          ...(query.merchantReffNo !== undefined && { merchant_reff_no: query.merchantReffNo }),
          ...(receivedAt !== undefined && { received_at: receivedAt }),
        },
        { sort: { public_id: -1 }, limit: query.limit },
      );
      return found.map(fromDocument);
    },
    async listPaid({ rail, fromMs, toMs, amountsSen, limit }) {
      const filter = {
        rail,
        paid_at: { $gte: new Date(fromMs), $lt: new Date(toMs) },
        from_suspense: { $exists: false },
        ...(amountsSen !== undefined && { amount_sen: { $in: [...amountsSen] } }),
      };
      return (await aggregates.list(filter, { sort: { paid_at: 1 }, limit })).map(fromDocument);
    },
    async listSuspended(limit) {
      const found = await aggregates.list({ suspended_at: { $type: 'date' } }, { sort: { suspended_at: 1 }, limit });
      return found.map(fromDocument);
    },
    async listContested(limit) {
      const found = await aggregates.list({ contested_at: { $type: 'date' } }, { sort: { contested_at: 1 }, limit });
      return found.map(fromDocument);
    },
  };
}
