import type { EventType } from '@gerbang/present';
import { type AfterWrite, dateRange, openAggregates, type Store } from '@gerbang/store';
import { olderThan } from '../binding/store.ts';
import {
  type ChargeDocument,
  fromChargeDocument,
  newChargeDocument,
  type StoredCharge,
  type StoredChargeDocument,
  stateChange,
} from './document.ts';
import { type storedStatuses, toChargeEvent } from './message.ts';
import { RESUME_AFTER_MS } from './refund.ts';
import { nextDueMs, UNRESOLVED_AFTER_MS } from './schedule.ts';
import type { ChargeEvent, ChargeOrder } from './state.ts';

export const CHARGES = 'charges';

/** Newest first; `before` is the key of a list's last item (`keyOfCharge`). */
export type ChargeQuery = {
  merchantId: string;
  accountId: string;
  limit: number;
  before: string | undefined;
  statuses: ReturnType<typeof storedStatuses>;
  referenceNumber: string;
  bindingId: string;
  fromMs: number | undefined;
  toMs: number | undefined;
};

/** The charges of all accounts; `_id` is made of account and reference, so that an account uses a reference once. */
export type ChargeStore = {
  /** Undefined when the account has used the reference already. */
  insert(order: ChargeOrder, nowMs: number): Promise<StoredCharge | undefined>;
  find(id: string, options?: { linearizable: boolean }): Promise<StoredCharge | undefined>;
  findMany(ids: readonly string[]): Promise<StoredCharge[]>;
  /** Writes the event and the state after it; undefined when the charge has changed meanwhile. */
  apply(charge: StoredCharge, event: ChargeEvent, nowMs: number): Promise<StoredCharge | undefined>;
  list(query: ChargeQuery): Promise<StoredCharge[]>;
  /** What operators should look at, oldest first. */
  listUnresolved(limit: number): Promise<StoredCharge[]>;
  fromDocument(document: StoredChargeDocument): StoredCharge;
};

export async function openChargeStore(store: Store, afterWrite: AfterWrite): Promise<ChargeStore> {
  const aggregates = await openAggregates<ChargeDocument, EventType<'direct-debit'>>(store, CHARGES, { schema: 1, afterWrite });
  await aggregates.collection.createIndex({ account_id: 1, created_at: -1, _id: -1 }, { name: 'newest' });
  await aggregates.collection.createIndex(
    { unresolved_at: 1 },
    { name: 'unresolved', partialFilterExpression: { unresolved_at: { $type: 'date' } } },
  );
  const read = (document: StoredChargeDocument | undefined) => document && fromChargeDocument(document);
  return {
    fromDocument: (document) => fromChargeDocument(aggregates.read(document)),
    insert: async (order, nowMs) =>
      read(await aggregates.insert(order.id, order.merchantId, newChargeDocument(order, nowMs + RESUME_AFTER_MS), [])),
    find: async (id, options) => read(await aggregates.find(id, options)),
    async findMany(ids) {
      const found = await aggregates.list({ _id: { $in: [...ids] } }, {});
      return found.map(fromChargeDocument);
    },
    apply: async (charge, event, nowMs) => read(await aggregates.change(charge.document, changeOf(charge, event, nowMs))),
    async list(query) {
      const found = await aggregates.list(filterOf(query), { sort: { created_at: -1, _id: -1 }, limit: query.limit });
      return found.map(fromChargeDocument);
    },
    async listUnresolved(limit) {
      const filter = { unresolved_at: { $type: 'date' as const } };
      const found = await aggregates.list(filter, { sort: { unresolved_at: 1 }, limit });
      return found.map(fromChargeDocument);
    },
  };
}

function changeOf({ order, document }: StoredCharge, { state, published }: ChargeEvent, nowMs: number) {
  const { set, unset } = stateChange(state, document);
  const dueMs = nextDueMs(state, nowMs);
  const unresolvedAt = unresolvedSince({ order, state }, nowMs);
  return {
    set: {
      ...set,
      ...(dueMs !== undefined && { due_at: new Date(dueMs) }),
      ...(unresolvedAt !== undefined && { unresolved_at: unresolvedAt }),
    },
    unset: [
      ...unset,
      'lease_until' as const,
      ...(dueMs === undefined ? (['due_at'] as const) : []),
      ...(unresolvedAt === undefined && document.unresolved_at !== undefined ? (['unresolved_at'] as const) : []),
    ],
    events: published === undefined ? [] : [toChargeEvent({ order, state }, published, nowMs)],
  };
}

/** Since when the bank has owed an answer, where it has for too long. */
function unresolvedSince({ order, state }: Pick<StoredCharge, 'order' | 'state'>, nowMs: number): Date | undefined {
  const sentAtMs = [
    ...(state.status === 'sending' ? [order.createdAtMs] : []),
    ...('refunds' in state ? state.refunds.flatMap((one) => (one.stage.status === 'sending' ? [one.createdAtMs] : [])) : []),
  ];
  const sinceMs = Math.min(...sentAtMs);
  return sentAtMs.length > 0 && nowMs - sinceMs >= UNRESOLVED_AFTER_MS ? new Date(sinceMs) : undefined;
}

/** What a page of a list ends with: creation time and id. */
export function keyOfCharge({ order }: StoredCharge): string {
  return `${order.createdAtMs}:${order.id}`;
}

function filterOf(query: ChargeQuery) {
  const createdAt = dateRange(query.fromMs, query.toMs);
  const either = [
    ...(query.statuses.length > 0 ? [{ $or: query.statuses }] : []),
    ...(query.before !== undefined ? [olderThan(query.before)] : []),
  ];
  return {
    account_id: query.accountId,
    merchant_id: query.merchantId,
    ...(query.referenceNumber !== '' && { reference_number: query.referenceNumber }),
    ...(query.bindingId !== '' && { binding_id: query.bindingId }),
    ...(createdAt !== undefined && { created_at: createdAt }),
    ...(either.length > 0 && { $and: either }),
  };
}
