import type { EventType } from '@gerbang/present';
import { type AfterWrite, dateRange, openAggregates, type Store } from '@gerbang/store';
import {
  type ChargebackDocument,
  fromChargebackDocument,
  newChargebackDocument,
  type StoredChargeback,
  type StoredChargebackDocument,
  stateChange,
} from './document.ts';
import { toChargebackEvent } from './message.ts';
import { nextDueMs } from './schedule.ts';
import { beginChargeback, type ChargebackEvent, type ChargebackOrder, type ChargebackState } from './state.ts';

export const CHARGEBACKS = 'card_chargebacks';

/** Newest first; `before` is the key of a list's last item (`keyOfChargeback`). */
export type ChargebackQuery = {
  merchantId: string;
  accountId: string;
  limit: number;
  before: string | undefined;
  statuses: readonly ChargebackState['status'][] | undefined;
  fromMs: number | undefined;
  toMs: number | undefined;
};

export type ChargebackStore = {
  /** Creates the chargeback, or gives the one that an earlier report has made under this id. */
  insertOrFind(order: ChargebackOrder): Promise<{ chargeback: StoredChargeback; created: boolean }>;
  find(id: string, options?: { linearizable: boolean }): Promise<StoredChargeback | undefined>;
  /** Writes the event and the state after it; undefined when the chargeback has changed meanwhile. */
  apply(chargeback: StoredChargeback, event: ChargebackEvent, nowMs: number): Promise<StoredChargeback | undefined>;
  list(query: ChargebackQuery): Promise<StoredChargeback[]>;
  /** Of all merchants, the oldest first. */
  listCases(query: { statuses: readonly ChargebackState['status'][] | undefined; limit: number }): Promise<StoredChargeback[]>;
  fromDocument(document: StoredChargebackDocument): StoredChargeback;
};

export async function openChargebackStore(store: Store, afterWrite: AfterWrite): Promise<ChargebackStore> {
  const options = { schema: 1, afterWrite };
  const aggregates = await openAggregates<ChargebackDocument, EventType<'cards'>>(store, CHARGEBACKS, options);
  await aggregates.collection.createIndex({ account_id: 1, created_at: -1, _id: -1 }, { name: 'newest' });
  await aggregates.collection.createIndex({ status: 1, created_at: 1 }, { name: 'cases' });
  const read = (document: StoredChargebackDocument | undefined) => document && fromChargebackDocument(document);
  const statusFilter = (statuses: readonly ChargebackState['status'][] | undefined) => {
    return statuses === undefined ? {} : { status: { $in: [...statuses] } };
  };
  return {
    fromDocument: (document) => fromChargebackDocument(aggregates.read(document)),
    async insertOrFind(order) {
      const state = beginChargeback(order);
      const fresh = newChargebackDocument(order, state, nextDueMs(state, order.createdAtMs));
      const { document, created } = await aggregates.insertOrFind(order.id, order.merchantId, fresh, []);
      return { chargeback: fromChargebackDocument(document), created };
    },
    find: async (id, options) => read(await aggregates.find(id, options)),
    apply: async (chargeback, event, nowMs) =>
      read(await aggregates.change(chargeback.document, changeOf(chargeback, event, nowMs))),
    async list({ merchantId, accountId, limit, before, statuses, fromMs, toMs }) {
      const createdAt = dateRange(fromMs, toMs);
      const filter = {
        account_id: accountId,
        merchant_id: merchantId,
        ...(before !== undefined && olderThan(before)),
        ...statusFilter(statuses),
        ...(createdAt !== undefined && { created_at: createdAt }),
      };
      const found = await aggregates.list(filter, { sort: { created_at: -1, _id: -1 }, limit });
      return found.map(fromChargebackDocument);
    },
    async listCases({ statuses, limit }) {
      const found = await aggregates.list(statusFilter(statuses), { sort: { created_at: 1 }, limit });
      return found.map(fromChargebackDocument);
    },
  };
}

function changeOf({ order, document }: StoredChargeback, { state, published }: ChargebackEvent, nowMs: number) {
  const { set, unset } = stateChange(state, document);
  const dueMs = nextDueMs(state, nowMs);
  // A chargeback of an unknown payment has no merchant who could be notified.
  const isPublished = published !== undefined && order.merchantId !== '';
  return {
    set: { ...set, ...(dueMs !== undefined && { due_at: new Date(dueMs) }) },
    unset: [...unset, 'lease_until' as const, ...(dueMs === undefined ? (['due_at'] as const) : [])],
    events: isPublished ? [toChargebackEvent({ order, state }, published, nowMs)] : [],
  };
}

/** What a page of a list ends with: creation time and id. */
export function keyOfChargeback({ order }: StoredChargeback): string {
  return `${order.createdAtMs}:${order.id}`;
}

/** Whether a cursor's key is one of this list. */
export function isChargebackKey(key: string): boolean {
  return /^[0-9]{13}:[0-7][0-9A-HJKMNP-TV-Z]{25}$/.test(key);
}

function olderThan(key: string) {
  const [ms = '', id = ''] = key.split(':');
  const at = new Date(Number(ms));
  return { $or: [{ created_at: { $lt: at } }, { created_at: at, _id: { $lt: id } }] };
}
