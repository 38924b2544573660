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
import { toDecisionEvent, toPaymentEvent } from './message.ts';
import { LISTED_AFTER_MS, nextDueMs } from './schedule.ts';
import type { PaymentEvent, PaymentOrder, PaymentState } from './state.ts';
import { waitingSinceMs } from './waiting.ts';

export const PAYMENTS = 'card_payments';

/** States and decisions that a payment remembers. */
const ENTRIES_MAX = 64;

/** The payments of all accounts. */
export type PaymentStore = {
  /** Creates the payment, or gives the one that an interrupted creation has made under this id already. */
  insertOrFind(order: PaymentOrder): Promise<StoredPayment>;
  find(id: string, options?: { linearizable: boolean }): Promise<StoredPayment | undefined>;
  /** Writes the event and the state after it; undefined when the payment has changed meanwhile. */
  apply(payment: StoredPayment, event: PaymentEvent, nowMs: number): Promise<StoredPayment | undefined>;
  /** Those that operators should look at and that have waited since `untilMs` or longer, the longest first. */
  listUnresolved(query: { kind: 'unresolved' | 'contested' | 'all'; untilMs: number; limit: number }): Promise<StoredPayment[]>;
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
    async listUnresolved({ kind, untilMs, limit }) {
      const status = { unresolved: { $ne: 'contested' as const }, contested: { $eq: 'contested' as const }, all: undefined }[
        kind
      ];
      const filter = { unresolved_at: { $lte: new Date(untilMs), $type: 'date' as const }, ...(status && { status }) };
      return (await aggregates.list(filter, { sort: { unresolved_at: 1 }, limit })).map(fromPaymentDocument);
    },
    find: async (id, options) => read(await aggregates.find(id, options)),
    apply: async (payment, event, nowMs) => read(await aggregates.change(payment.document, changeOf(payment, event, nowMs))),
  };
}

function changeOf({ order, document }: StoredPayment, { state, published, decision }: PaymentEvent, nowMs: number) {
  const { set, unset } = stateChange(state, document);
  const dueMs = nextDueMs(state, nowMs);
  const waiting = waitingFields(state, document, nowMs);
  return {
    set: {
      ...set,
      ...(dueMs !== undefined && { due_at: new Date(dueMs) }),
      ...waiting,
      ...(state.status !== document.status && {
        history: longer(document.history, { status: state.status, at: new Date(nowMs) }),
      }),
      ...(decision && { decisions: longer(document.decisions, { ...decision, at: new Date(nowMs) }) }),
    },
    unset: [
      ...unset,
      'lease_until' as const,
      ...(dueMs === undefined ? (['due_at'] as const) : []),
      ...WAITING_FIELDS.filter((field) => waiting[field] === undefined && document[field] !== undefined),
    ],
    events: [
      ...(decision === undefined ? [] : [toDecisionEvent(order.id, decision, nowMs)]),
      ...(published === undefined ? [] : [toPaymentEvent({ order, state }, published, nowMs)]),
    ],
  };
}

const WAITING_FIELDS = ['asked_at', 'unresolved_at'] as const;

/** Since when it waits for the acquirer or for operators, and since when operators see that. */
function waitingFields(
  state: PaymentState,
  document: StoredPaymentDocument,
  nowMs: number,
): Pick<PaymentDocument, 'asked_at' | 'unresolved_at'> {
  if (state.status === 'contested') return { unresolved_at: new Date(state.endedAtMs) };
  const sinceMs = waitingSinceMs(state, document) ?? ('asked' in state ? nowMs : undefined);
  if (sinceMs === undefined) return {};
  const since = new Date(sinceMs);
  return { asked_at: since, ...(nowMs - sinceMs >= LISTED_AFTER_MS && { unresolved_at: since }) };
}

/** With one entry more, and without the oldest where there are too many. */
function longer<T>(entries: readonly T[] | undefined, entry: T): T[] {
  return [...(entries ?? []), entry].slice(-ENTRIES_MAX);
}
