import type { EventType } from '@gerbang/present';
import { type AfterWrite, openAggregates, type Store } from '@gerbang/store';
import {
  fromPaymentDocument,
  newPaymentDocument,
  type PaymentDocument,
  type StoredPayment,
  type StoredPaymentDocument,
  stateChange,
} from './document.ts';
import { toPaymentEvent } from './message.ts';
import { nextDueMs, UNRESOLVED_AFTER_MS } from './schedule.ts';
import type { PaymentEvent, PaymentOrder } from './state.ts';

export const PAYMENTS = 'card_payments';

/** The payments of all accounts. */
export type PaymentStore = {
  /** Creates the payment, or gives the one that an interrupted creation has made under this id already. */
  insertOrFind(order: PaymentOrder): Promise<StoredPayment>;
  find(id: string, options?: { linearizable: boolean }): Promise<StoredPayment | undefined>;
  /** Writes the event and the state after it; undefined when the payment has changed meanwhile. */
  apply(payment: StoredPayment, event: PaymentEvent, nowMs: number): Promise<StoredPayment | undefined>;
  fromDocument(document: StoredPaymentDocument): StoredPayment;
};

export async function openPaymentStore(store: Store, afterWrite: AfterWrite): Promise<PaymentStore> {
  const aggregates = await openAggregates<PaymentDocument, EventType<'cards'>>(store, PAYMENTS, { schema: 1, afterWrite });
  await aggregates.collection.createIndex(
    { unresolved_at: 1 },
    { name: 'unresolved', partialFilterExpression: { unresolved_at: { $type: 'date' } } },
  );
  const read = (document: StoredPaymentDocument | undefined) => document && fromPaymentDocument(document);
  return {
    fromDocument: (document) => fromPaymentDocument(aggregates.read(document)),
    async insertOrFind(order) {
      const dueMs = nextDueMs({ status: 'created' }, order.createdAtMs) ?? order.createdAtMs;
      const { document } = await aggregates.insertOrFind(order.id, order.merchantId, newPaymentDocument(order, dueMs), []);
      return fromPaymentDocument(document);
    },
    find: async (id, options) => read(await aggregates.find(id, options)),
    apply: async (payment, event, nowMs) => read(await aggregates.change(payment.document, changeOf(payment, event, nowMs))),
  };
}

function changeOf({ order, document }: StoredPayment, { state, published }: PaymentEvent, nowMs: number) {
  const { set, unset } = stateChange(state, document);
  const dueMs = nextDueMs(state, nowMs);
  const isUnresolved = state.status === 'contested' || ('asked' in state && nowMs - order.createdAtMs >= UNRESOLVED_AFTER_MS);
  return {
    set: {
      ...set,
      ...(dueMs !== undefined && { due_at: new Date(dueMs) }),
      ...(isUnresolved && { unresolved_at: new Date(nowMs) }),
    },
    unset: [
      ...unset,
      'lease_until' as const,
      ...(dueMs === undefined ? (['due_at'] as const) : []),
      ...(!isUnresolved && document.unresolved_at !== undefined ? (['unresolved_at'] as const) : []),
    ],
    events: published === undefined ? [] : [toPaymentEvent({ order, state }, published, nowMs)],
  };
}
