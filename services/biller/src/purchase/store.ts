import type { EventType } from '@gerbang/present';
import { type AfterWrite, openAggregates, type Store } from '@gerbang/store';
import {
  fromDocument,
  newDocument,
  type PurchaseDocument,
  type PurchaseOrder,
  type StoredPurchase,
  type StoredPurchaseDocument,
  toStateFields,
} from './document.ts';
import { toEvents } from './message.ts';
import { evolve, type PurchaseEvent } from './purchase.ts';
import { nextDue } from './schedule.ts';

/** The purchases of all merchants; `_id` = the reference number, so that a reference is paid once (architecture §3). */
export type PurchaseStore = {
  /** Undefined when the reference has a purchase already. */
  insert(order: PurchaseOrder): Promise<StoredPurchase | undefined>;
  /** As it stands at this moment. */
  find(referenceNumber: string): Promise<StoredPurchase | undefined>;
  /**
   * Writes the events and the state after them, and when the timer fires next; undefined when the purchase has changed meanwhile.
   */
  apply(purchase: StoredPurchase, events: readonly PurchaseEvent[], nowMs: number): Promise<StoredPurchase | undefined>;
  /** Removes one that was never accepted. */
  remove(purchase: StoredPurchase): Promise<boolean>;
  /** What operators have to decide, the oldest first. */
  listUnresolved(limit: number): Promise<StoredPurchase[]>;
  countUnresolved(): Promise<number>;
  fromDocument(document: StoredPurchaseDocument): StoredPurchase;
};

export const PURCHASES = 'purchases';

export async function openPurchases(store: Store, afterWrite: AfterWrite): Promise<PurchaseStore> {
  const aggregates = await openAggregates<PurchaseDocument, EventType<'biller'>>(store, PURCHASES, { schema: 1, afterWrite });
  const isUnresolved = { unresolved_at: { $type: 'date' as const } };
  await aggregates.collection.createIndex({ unresolved_at: 1 }, { name: 'unresolved', partialFilterExpression: isUnresolved });
  return {
    fromDocument: (document) => fromDocument(aggregates.read(document)),
    async insert(order) {
      const inserted = await aggregates.insert(order.referenceNumber, order.merchantId, newDocument(order), []);
      return inserted && fromDocument(inserted);
    },
    async find(referenceNumber) {
      const found = await aggregates.find(referenceNumber, { linearizable: true });
      return found && fromDocument(found);
    },
    async apply(purchase, events, nowMs) {
      const changed = await aggregates.change(purchase.document, changeOf(purchase, events, nowMs));
      return changed && fromDocument(changed);
    },
    remove: (purchase) => aggregates.removeUnannounced(purchase.document),
    async listUnresolved(limit) {
      const found = await aggregates.list(isUnresolved, { sort: { unresolved_at: 1 }, limit });
      return found.map(fromDocument);
    },
    countUnresolved: () => aggregates.collection.countDocuments(isUnresolved),
  };
}

function changeOf({ order, state: before, document }: StoredPurchase, events: readonly PurchaseEvent[], nowMs: number) {
  let state = before;
  const published = events.flatMap((event) => {
    state = evolve(state, event);
    return toEvents(order, state, event, nowMs);
  });
  const { set, unset } = toStateFields(state, document);
  const last = events.at(-1);
  const due = last === undefined ? 'unchanged' : nextDue(state, last, nowMs);
  return {
    set: { ...set, ...(typeof due === 'object' && { due_at: new Date(due.atMs) }) },
    unset: [...unset, 'lease_until' as const, ...(due === 'never' ? (['due_at'] as const) : [])],
    events: published,
    quiet: state.status === 'held',
  };
}
