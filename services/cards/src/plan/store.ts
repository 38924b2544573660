import type { EventType } from '@gerbang/present';
import { type AfterWrite, dateRange, openAggregates, type Store } from '@gerbang/store';
import {
  fromPlanDocument,
  newPlanDocument,
  type PlanDocument,
  type StoredPlan,
  type StoredPlanDocument,
  stateChange,
} from './document.ts';
import { toPlanEvent } from './message.ts';
import { beginPlan } from './plan.ts';
import { nextDueMs } from './schedule.ts';
import type { PlanCard, PlanEvent, PlanOrder, PlanStatus } from './state.ts';

export const PLANS = 'card_plans';

/** Newest first; `before` is the key of a list's last item (`keyOfPlan`). */
export type PlanQuery = {
  merchantId: string;
  accountId: string;
  limit: number;
  before: string | undefined;
  status: PlanStatus | undefined;
  fromMs: number | undefined;
  toMs: number | undefined;
};

export type PlanStore = {
  /** Creates the plan, or gives the one that an interrupted creation has made under this id already. */
  insertOrFind(order: PlanOrder, card: PlanCard): Promise<StoredPlan>;
  find(id: string, options?: { linearizable: boolean }): Promise<StoredPlan | undefined>;
  /** Those of the ids that there are, as a majority has them. */
  findMany(ids: readonly string[]): Promise<StoredPlan[]>;
  /** Writes the event and the state after it; undefined when the plan has changed meanwhile. */
  apply(plan: StoredPlan, event: PlanEvent, nowMs: number): Promise<StoredPlan | undefined>;
  /** Sets the timer and nothing else; undefined `dueMs`: it never fires again. */
  wait(plan: StoredPlan, dueMs: number | undefined): Promise<StoredPlan | undefined>;
  list(query: PlanQuery): Promise<StoredPlan[]>;
  fromDocument(document: StoredPlanDocument): StoredPlan;
};

export async function openPlanStore(store: Store, afterWrite: AfterWrite): Promise<PlanStore> {
  const aggregates = await openAggregates<PlanDocument, EventType<'cards'>>(store, PLANS, { schema: 1, afterWrite });
  await aggregates.collection.createIndex({ account_id: 1, created_at: -1, _id: -1 }, { name: 'newest' });
  const read = (document: StoredPlanDocument | undefined) => document && fromPlanDocument(document);
  return {
    fromDocument: (document) => fromPlanDocument(aggregates.read(document)),
    async insertOrFind(order, card) {
      const state = beginPlan(order, card);
      const dueMs = nextDueMs(order, state, order.createdAtMs) ?? order.createdAtMs;
      const { document } = await aggregates.insertOrFind(order.id, order.merchantId, newPlanDocument(order, state, dueMs), []);
      return fromPlanDocument(document);
    },
    find: async (id, options) => read(await aggregates.find(id, options)),
    findMany: async (ids) => (await aggregates.list({ _id: { $in: ids } }, {})).map(fromPlanDocument),
    apply: async (plan, event, nowMs) => read(await aggregates.change(plan.document, changeOf(plan, event, nowMs))),
    wait: async (plan, dueMs) =>
      read(
        await aggregates.change(plan.document, {
          set: dueMs === undefined ? {} : { due_at: new Date(dueMs) },
          unset: ['lease_until' as const, ...(dueMs === undefined ? (['due_at'] as const) : [])],
        }),
      ),
    async list({ merchantId, accountId, limit, before, status, fromMs, toMs }) {
      const createdAt = dateRange(fromMs, toMs);
      const filter = {
        account_id: accountId,
        merchant_id: merchantId,
        ...(before !== undefined && olderThan(before)),
        ...(status !== undefined && { status }),
        ...(createdAt !== undefined && { created_at: createdAt }),
      };
      const found = await aggregates.list(filter, { sort: { created_at: -1, _id: -1 }, limit });
      return found.map(fromPlanDocument);
    },
  };
}

function changeOf({ order, document }: StoredPlan, { state, published }: PlanEvent, nowMs: number) {
  const { set, unset } = stateChange(state, document);
  const dueMs = nextDueMs(order, state, nowMs);
  return {
    set: { ...set, ...(dueMs !== undefined && { due_at: new Date(dueMs) }) },
    unset: [...unset, 'lease_until' as const, ...(dueMs === undefined ? (['due_at'] as const) : [])],
    events: published.map((type) => toPlanEvent({ order, state }, type, nowMs)),
  };
}

/** What a page of a list ends with: creation time and id. */
export function keyOfPlan({ order }: StoredPlan): string {
  return `${order.createdAtMs}:${order.id}`;
}

/** Whether a cursor's key is one of this list. */
export function isPlanKey(key: string): boolean {
  return /^[0-9]{13}:[0-7][0-9A-HJKMNP-TV-Z]{25}$/.test(key);
}

function olderThan(key: string) {
  const [ms = '', id = ''] = key.split(':');
  const at = new Date(Number(ms));
  return { $or: [{ created_at: { $lt: at } }, { created_at: at, _id: { $lt: id } }] };
}
