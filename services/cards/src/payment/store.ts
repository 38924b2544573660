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
import { type Told, untold } from './link-standing.ts';
import { toDecisionEvent, toPaymentEvent } from './message.ts';
import { LISTED_AFTER_MS, nextDueMs, nextWatchMs, RESUME_AFTER_MS } from './schedule.ts';
import type { PaymentEvent, PaymentOrder, PaymentState } from './state.ts';
import { waitingSinceMs } from './waiting.ts';

export const PAYMENTS = 'card_payments';

const ORDERED_BY = { captured: 'authorisation.capture_at', ordered: 'created_at', 'given-back': 'given_back_at' } as const;

/** States and decisions that a payment remembers. */
const ENTRIES_MAX = 64;

/**
 * `captured`: authorised ones, by the time of their capture; `ordered`: those that no authorisation is known of, by the time of their
 * order; `given-back`: by the time since when the acquirer may have given the money back.
 */
export type MovedQuery = {
  by: 'captured' | 'ordered' | 'given-back';
  fromMs: number;
  toMs: number;
  amountsSen: readonly bigint[] | undefined;
  limit: number;
};

/** The payments of all accounts. */
export type PaymentStore = {
  /**
   * Creates the payment, or gives the one that an interrupted creation has made under this id already. `state`: how it begins, else
   * `created`; its merchant is not notified of it.
   */
  insertOrFind(order: PaymentOrder, state?: PaymentState): Promise<StoredPayment>;
  find(id: string, options?: { linearizable: boolean }): Promise<StoredPayment | undefined>;
  /** Writes the event and the state after it; undefined when the payment has changed meanwhile. */
  apply(payment: StoredPayment, event: PaymentEvent, nowMs: number): Promise<StoredPayment | undefined>;
  /** Those that operators should look at and that have waited since `untilMs` or longer, the longest first. */
  listUnresolved(query: { kind: 'unresolved' | 'contested' | 'all'; untilMs: number; limit: number }): Promise<StoredPayment[]>;
  /** By a moment of theirs, in the order of time: what the acquirer may have moved then. */
  listMoved(query: MovedQuery): Promise<StoredPayment[]>;
  /** Writes what money-in knows of it; undefined as above. */
  applyTold(payment: StoredPayment, told: Told, nowMs: number): Promise<StoredPayment | undefined>;
  fromDocument(document: StoredPaymentDocument): StoredPayment;
};

export async function openPaymentStore(store: Store, afterWrite: AfterWrite): Promise<PaymentStore> {
  const aggregates = await openAggregates<PaymentDocument, EventType<'cards'>>(store, PAYMENTS, { schema: 1, afterWrite });
  const { collection } = aggregates;
  await collection.createIndex(
    { unresolved_at: 1 },
    { name: 'unresolved', partialFilterExpression: { unresolved_at: { $type: 'date' } } },
  );
  await collection.createIndex({ created_at: 1 }, { name: 'ordered' });
  for (const [field, name] of [
    ['authorisation.capture_at', 'captured'],
    ['given_back_at', 'given-back'],
  ] as const)
    await collection.createIndex({ [field]: 1 }, { name, partialFilterExpression: { [field]: { $type: 'date' } } });
  const read = (document: StoredPaymentDocument | undefined) => document && fromPaymentDocument(document);
  return {
    fromDocument: (document) => fromPaymentDocument(aggregates.read(document)),
    async insertOrFind(order, state = { status: 'created' }) {
      const fields = newPaymentDocument(order, nextDueMs(state, order.createdAtMs), state);
      const { document } = await aggregates.insertOrFind(order.id, order.merchantId, fields, []);
      return fromPaymentDocument(document);
    },
    async listUnresolved({ kind, untilMs, limit }) {
      const status = { unresolved: { $ne: 'contested' as const }, contested: { $eq: 'contested' as const }, all: undefined }[
        kind
      ];
      const filter = { unresolved_at: { $lte: new Date(untilMs), $type: 'date' as const }, ...(status && { status }) };
      return (await aggregates.list(filter, { sort: { unresolved_at: 1 }, limit })).map(fromPaymentDocument);
    },
    async listMoved({ by, fromMs, toMs, amountsSen, limit }) {
      const between = { $gte: new Date(fromMs), $lt: new Date(toMs) };
      const isIn = {
        captured: { 'authorisation.capture_at': { ...between, $type: 'date' as const } },
        ordered: { created_at: between, authorisation: { $exists: false } },
        'given-back': { given_back_at: { ...between, $type: 'date' as const } },
      }[by];
      const filter = { ...isIn, ...(amountsSen !== undefined && { amount_sen: { $in: [...amountsSen] } }) };
      return (await aggregates.list(filter, { sort: { [ORDERED_BY[by]]: 1 }, limit })).map(fromPaymentDocument);
    },
    find: async (id, options) => read(await aggregates.find(id, options)),
    apply: async (payment, event, nowMs) => read(await aggregates.change(payment.document, changeOf(payment, event, nowMs))),
    applyTold: async (payment, told, nowMs) => read(await aggregates.change(payment.document, toldChange(payment, told, nowMs))),
  };
}

/** When its timer fires: the sooner where money-in is yet to be told. */
function timerMs(payment: Pick<StoredPayment, 'order' | 'state' | 'told'>, decidedAtMs: number | undefined, nowMs: number) {
  if (untold(payment) !== undefined) return nowMs + RESUME_AFTER_MS;
  const { state } = payment;
  return nextDueMs(state, nowMs) ?? (state.status === 'contested' ? undefined : nextWatchMs(decidedAtMs, nowMs));
}

/** Its timer is that of its state again. */
function toldChange({ order, state, document }: StoredPayment, told: Told, nowMs: number) {
  const dueMs = timerMs({ order, state, told }, document.decisions?.at(-1)?.at.getTime(), nowMs);
  return {
    set: { link_told: told, ...(dueMs !== undefined && { due_at: new Date(dueMs) }) },
    unset: ['lease_until' as const, ...(dueMs === undefined ? (['due_at'] as const) : [])],
    events: [],
  };
}

function changeOf({ order, told, document }: StoredPayment, { state, published, decision }: PaymentEvent, nowMs: number) {
  const { set, unset } = stateChange(state, document);
  const decidedAtMs = decision === undefined ? document.decisions?.at(-1)?.at.getTime() : nowMs;
  const dueMs = timerMs({ order, state, told }, decidedAtMs, nowMs);
  const waiting = waitingFields(state, document, nowMs);
  const givenBack = givenBackField(state, document, nowMs);
  return {
    set: {
      ...set,
      ...(dueMs !== undefined && { due_at: new Date(dueMs) }),
      ...waiting,
      ...givenBack,
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
      ...(givenBack.given_back_at === undefined && document.given_back_at !== undefined ? (['given_back_at'] as const) : []),
    ],
    events: [
      ...(decision === undefined ? [] : [toDecisionEvent(order.id, decision, nowMs)]),
      // What pays a link is the link's: merchants hear of it from there, as of any other method.
      ...(published === undefined || order.link !== undefined ? [] : [toPaymentEvent({ order, state }, published, nowMs)]),
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
  // What its session does not take could not be given back.
  const stands = state.status === 'captured' || state.status === 'settled' || ('refused' in state && state.refused !== undefined);
  const isKept = document.link_told === 'refused' && stands;
  if (isKept) return { unresolved_at: document.unresolved_at ?? new Date(nowMs) };
  const sinceMs = waitingSinceMs(state, document) ?? ('asked' in state ? nowMs : undefined);
  if (sinceMs === undefined) return {};
  const since = new Date(sinceMs);
  return { asked_at: since, ...(nowMs - sinceMs >= LISTED_AFTER_MS && { unresolved_at: since }) };
}

/** Since when the acquirer may have given the money back: the order of refunds in its books. */
function givenBackField(
  state: PaymentState,
  { given_back_at: at }: StoredPaymentDocument,
  nowMs: number,
): Pick<PaymentDocument, 'given_back_at'> {
  const isRefund = state.status === 'refunding' || state.status === 'refunded';
  return isRefund || ('withdrawal' in state && state.withdrawal.said === 'refunded')
    ? { given_back_at: at ?? new Date(nowMs) }
    : {};
}

/** With one entry more, and without the oldest where there are too many. */
function longer<T>(entries: readonly T[] | undefined, entry: T): T[] {
  return [...(entries ?? []), entry].slice(-ENTRIES_MAX);
}
