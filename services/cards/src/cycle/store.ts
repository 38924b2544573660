import type { Storable } from '@gerbang/core';
import type { EventType } from '@gerbang/present';
import { type AfterWrite, type AggregateDocument, openAggregates, type Store } from '@gerbang/store';
import type { Attempt, CycleEvent, CycleOrder, CycleState } from './cycle.ts';
import { toCycleEvent } from './message.ts';

export const CYCLES = 'card_cycles';

/** A cycle as it was read, with the version that the next change is conditional on. */
export type StoredCycle = { order: CycleOrder; state: CycleState; document: StoredCycleDocument };

export type CycleDocument = Storable<{
  plan_id: string;
  cycle: number;
  amount_sen: bigint;
  cycle_due_at: Date;
  status: CycleState['status'];
  attempts: number;
  attempt: { payment_id: string; initiated_by: Attempt['initiatedBy']; started_at: Date };
  failure?: { code: string; reason: string };
  retry_at?: Date;
  ended_at?: Date;
}>;
export type StoredCycleDocument = AggregateDocument<CycleDocument>;

/** The cycles of all plans: each one an aggregate of its own, since a plan has any number of them. */
export type CycleStore = {
  /** Creates the cycle, or gives the one that is there. */
  insertOrFind(order: CycleOrder, state: CycleState): Promise<StoredCycle>;
  find(planId: string, cycle: number): Promise<StoredCycle | undefined>;
  /** Writes the event and the state after it; undefined when the cycle has changed meanwhile. */
  apply(cycle: StoredCycle, event: CycleEvent, nowMs: number): Promise<StoredCycle | undefined>;
  /** Newest first, before a number where one is given. */
  list(planId: string, page: { limit: number; before: number | undefined }): Promise<StoredCycle[]>;
};

export async function openCycleStore(store: Store, afterWrite: AfterWrite): Promise<CycleStore> {
  const aggregates = await openAggregates<CycleDocument, EventType<'cards'>>(store, CYCLES, { schema: 1, afterWrite });
  await aggregates.collection.createIndex({ plan_id: 1, cycle: -1 }, { name: 'newest' });
  const read = (document: StoredCycleDocument | undefined) => document && fromDocument(document);
  return {
    async insertOrFind(order, state) {
      const { document } = await aggregates.insertOrFind(
        idOf(order.planId, order.cycle),
        order.merchantId,
        newDocument(order, state),
        [],
      );
      return fromDocument(document);
    },
    find: async (planId, cycle) => read(await aggregates.find(idOf(planId, cycle), { linearizable: true })),
    async apply({ order, document }, { state, published }, nowMs) {
      const set = toStateFields(state);
      const unset = (['failure', 'retry_at', 'ended_at'] as const).filter((field) => !(field in set) && field in document);
      const events = published === undefined ? [] : [toCycleEvent({ order, state }, published, nowMs)];
      return read(await aggregates.change(document, { set, unset, events }));
    },
    async list(planId, { limit, before }) {
      const filter = { plan_id: planId, ...(before !== undefined && { cycle: { $lt: before } }) };
      return (await aggregates.list(filter, { sort: { cycle: -1 }, limit })).map(fromDocument);
    },
  };
}

function idOf(planId: string, cycle: number): string {
  return `${planId}:${cycle}`;
}

function newDocument({ planId, cycle, amountSen, dueAtMs }: CycleOrder, state: CycleState): CycleDocument {
  return { plan_id: planId, cycle, amount_sen: amountSen, cycle_due_at: new Date(dueAtMs), ...toStateFields(state) };
}

function toStateFields(state: CycleState) {
  const { paymentId, initiatedBy, startedAtMs } = state.attempt;
  return {
    status: state.status,
    attempts: state.attempts,
    attempt: { payment_id: paymentId, initiated_by: initiatedBy, started_at: new Date(startedAtMs) },
    ...('failure' in state && { failure: state.failure }),
    ...('retryAtMs' in state && { retry_at: new Date(state.retryAtMs) }),
    ...('endedAtMs' in state && { ended_at: new Date(state.endedAtMs) }),
  };
}

function fromDocument(document: StoredCycleDocument): StoredCycle {
  const order: CycleOrder = {
    planId: document.plan_id,
    cycle: document.cycle,
    merchantId: document.merchant_id,
    amountSen: document.amount_sen,
    dueAtMs: document.cycle_due_at.getTime(),
  };
  return { order, state: toState(document), document };
}

function toState(document: StoredCycleDocument): CycleState {
  const { status, attempts, attempt, failure, retry_at, ended_at } = document;
  const { payment_id: paymentId, initiated_by: initiatedBy, started_at } = attempt;
  const common = { attempts, attempt: { paymentId, initiatedBy, startedAtMs: started_at.getTime() } };
  switch (status) {
    case 'processing':
      return { status, ...common };
    case 'retrying':
      return { status, ...common, failure: must(document, failure), retryAtMs: must(document, retry_at).getTime() };
    case 'failed':
      return { status, ...common, failure: must(document, failure), endedAtMs: must(document, ended_at).getTime() };
    case 'success':
      return { status, ...common, endedAtMs: must(document, ended_at).getTime() };
    default:
      return status satisfies never;
  }
}

function must<T>({ _id, status }: StoredCycleDocument, value: T | undefined): T {
  if (value === undefined) throw new Error(`cycle ${_id} is ${status} and lacks a field`);
  return value;
}
