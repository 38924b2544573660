import type { EventType } from '@gerbang/present';
import { type AfterWrite, dateRange, isDuplicateKey, openAggregates, type Store, traced } from '@gerbang/store';
import {
  type BindingDocument,
  type BindingOrder,
  fromBindingDocument,
  newBindingDocument,
  type StoredBinding,
  type StoredBindingDocument,
  stateChange,
} from './document.ts';
import { toBindingEvent } from './message.ts';
import { nextDueMs } from './schedule.ts';
import type { BindingEvent, BindingState } from './state.ts';

export const BINDINGS = 'bindings';
const CLAIMS = 'account_claims';

/** Newest first; `before` is the key of a list's last item (`keyOfBinding`). */
export type BindingQuery = {
  merchantId: string;
  accountId: string;
  limit: number;
  before: string | undefined;
  statuses: readonly BindingState['status'][];
  customerId: string;
  fromMs: number | undefined;
  toMs: number | undefined;
};

export type BindingStore = {
  /** Gives the one that an interrupted creation has made under this id already. */
  create(order: BindingOrder): Promise<StoredBinding>;
  find(id: string, options?: { linearizable: boolean }): Promise<StoredBinding | undefined>;
  /** Writes the events and the state after them; undefined when it has changed meanwhile. */
  apply(binding: StoredBinding, event: BindingEvent, nowMs: number): Promise<StoredBinding | undefined>;
  /** Keeps the code with which the customer is sent back; undefined when it has changed meanwhile. */
  handOver(binding: StoredBinding, code: string): Promise<StoredBinding | undefined>;
  list(query: BindingQuery): Promise<StoredBinding[]>;
  listOfCustomer(merchantId: string, customerId: string, limit: number): Promise<StoredBinding[]>;
  /** Claims a customer's bank account for a binding; gives whose it is then. */
  claim(key: string, bindingId: string): Promise<string>;
  /** Takes a claim over from a binding that is over; false when another one was faster. */
  takeOver(key: string, from: string, bindingId: string): Promise<boolean>;
  fromDocument(document: StoredBindingDocument): StoredBinding;
};

export async function openBindingStore(store: Store, afterWrite: AfterWrite): Promise<BindingStore> {
  const aggregates = await openAggregates<BindingDocument, EventType<'direct-debit'>>(store, BINDINGS, { schema: 1, afterWrite });
  await aggregates.collection.createIndex({ account_id: 1, created_at: -1, _id: -1 }, { name: 'newest' });
  await aggregates.collection.createIndex({ merchant_id: 1, customer_id: 1, created_at: -1 }, { name: 'of-customer' });
  const read = (document: StoredBindingDocument | undefined) => document && fromBindingDocument(document);
  return {
    ...openClaims(store),
    fromDocument: (document) => fromBindingDocument(aggregates.read(document)),
    async create(order) {
      const made = await aggregates.insertOrFind(order.id, order.merchantId, newBindingDocument(order), []);
      return fromBindingDocument(made.document);
    },
    find: async (id, options) => read(await aggregates.find(id, options)),
    apply: async (binding, event, nowMs) => read(await aggregates.change(binding.document, changeOf(binding, event, nowMs))),
    handOver: async (binding, code) => read(await aggregates.change(binding.document, { set: { handover_code: code } })),
    async list(query) {
      const found = await aggregates.list(filterOf(query), { sort: { created_at: -1, _id: -1 }, limit: query.limit });
      return found.map(fromBindingDocument);
    },
    async listOfCustomer(merchantId, customerId, limit) {
      const filter = { merchant_id: merchantId, customer_id: customerId };
      const found = await aggregates.list(filter, { sort: { created_at: -1 }, limit });
      return found.map(fromBindingDocument);
    },
  };
}

function changeOf({ order, document, handoverCode }: StoredBinding, { state, published, dueNow }: BindingEvent, nowMs: number) {
  const { set, unset } = stateChange(state, document);
  const dueMs = dueNow ? nowMs : nextDueMs(state, order.expiresAtMs, nowMs);
  return {
    set: { ...set, ...(dueMs !== undefined && { due_at: new Date(dueMs) }) },
    unset: [...unset, 'lease_until' as const, ...(dueMs === undefined ? (['due_at'] as const) : [])],
    events: published === undefined ? [] : [toBindingEvent({ order, state, handoverCode }, published, nowMs)],
  };
}

/** Which binding has a customer's bank account; the claim's `_id` is the account's key, so that only one can have it. */
function openClaims(store: Store): Pick<BindingStore, 'claim' | 'takeOver'> {
  const claims = store.collection<{ _id: string; schema: number; binding_id: string }>(CLAIMS);
  return {
    async claim(key, bindingId) {
      try {
        await traced('insertOne', CLAIMS, () => claims.insertOne({ _id: key, schema: 1, binding_id: bindingId }));
        return bindingId;
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
      }
      const there = await traced('findOne', CLAIMS, () => claims.findOne({ _id: key }, { readConcern: 'linearizable' }));
      if (there === null) throw new Error('a claim of a bank account has vanished');
      return there.binding_id;
    },
    async takeOver(key, from, bindingId) {
      const { modifiedCount } = await traced('updateOne', CLAIMS, () =>
        claims.updateOne({ _id: key, binding_id: from }, { $set: { binding_id: bindingId } }),
      );
      return modifiedCount === 1;
    },
  };
}

/** What a page of a list ends with: creation time and id. */
export function keyOfBinding({ order }: StoredBinding): string {
  return `${order.createdAtMs}:${order.id}`;
}

function filterOf({ merchantId, accountId, customerId, statuses, before, fromMs, toMs }: BindingQuery) {
  const createdAt = dateRange(fromMs, toMs);
  return {
    account_id: accountId,
    merchant_id: merchantId,
    ...(customerId !== '' && { customer_id: customerId }),
    ...(statuses.length > 0 && { status: { $in: [...statuses] } }),
    ...(createdAt !== undefined && { created_at: createdAt }),
    ...(before !== undefined && olderThan(before)),
  };
}

/** What comes after the key of a list's item, newest first. */
export function olderThan(key: string): { $or: [{ created_at: { $lt: Date } }, { created_at: Date; _id: { $lt: string } }] } {
  const [ms = '', id = ''] = key.split(':');
  const at = new Date(Number(ms));
  return { $or: [{ created_at: { $lt: at } }, { created_at: at, _id: { $lt: id } }] };
}

/** Whether a cursor's key is one of these lists. */
export function isListKey(key: string): boolean {
  return /^[0-9]{13}:[0-9a-f-]{36}$/.test(key);
}
