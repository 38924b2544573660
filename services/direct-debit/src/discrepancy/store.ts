import { openAggregates, type Store } from '@gerbang/store';
import { RESUME_AFTER_MS } from '../charge/refund.ts';
import { ASK_EVERY_MS, type DiscrepancyOrder, type DiscrepancyState } from './discrepancy.ts';
import {
  type DiscrepancyDocument,
  fromDiscrepancyDocument,
  newDiscrepancyDocument,
  type StoredDiscrepancy,
  type StoredDiscrepancyDocument,
  stateChange,
} from './document.ts';

export const DISCREPANCIES = 'discrepancies';

/** One for each charge or refund of which the bank has told another outcome, or of which operators have decided the outcome. */
export type DiscrepancyStore = {
  /** Undefined when there is one already. */
  insert(order: DiscrepancyOrder, state: DiscrepancyState, nowMs: number): Promise<StoredDiscrepancy | undefined>;
  /** What is there now. */
  find(id: string): Promise<StoredDiscrepancy | undefined>;
  /** Undefined when it has changed meanwhile. */
  apply(discrepancy: StoredDiscrepancy, state: DiscrepancyState, nowMs: number): Promise<StoredDiscrepancy | undefined>;
  /** What waits for an operator, oldest first. */
  listOpen(limit: number): Promise<StoredDiscrepancy[]>;
  fromDocument(document: StoredDiscrepancyDocument): StoredDiscrepancy;
};

/** They publish no events: merchants see what comes of them in their statements. */
export async function openDiscrepancyStore(store: Store): Promise<DiscrepancyStore> {
  const aggregates = await openAggregates<DiscrepancyDocument, never>(store, DISCREPANCIES, { schema: 1 });
  await aggregates.collection.createIndex(
    { open_since: 1 },
    { name: 'open', partialFilterExpression: { open_since: { $type: 'date' } } },
  );
  const read = (document: StoredDiscrepancyDocument | undefined) => document && fromDiscrepancyDocument(document);
  return {
    fromDocument: (document) => fromDiscrepancyDocument(aggregates.read(document)),
    async insert(order, state, nowMs) {
      const dueMs = nextDueMs(state, nowMs);
      const document = { ...newDiscrepancyDocument(order, state), ...(dueMs !== undefined && { due_at: new Date(dueMs) }) };
      return read(await aggregates.insert(order.id, order.merchantId, document, []));
    },
    find: async (id) => read(await aggregates.find(id, { linearizable: true })),
    async apply({ document }, state, nowMs) {
      const { set, unset } = stateChange(state, document);
      const dueMs = nextDueMs(state, nowMs);
      const timer = dueMs === undefined ? { unset: ['due_at' as const] } : { set: { due_at: new Date(dueMs) } };
      const change = {
        set: { ...set, ...timer.set },
        unset: [...unset, 'lease_until' as const, ...(timer.unset ?? [])],
      };
      return read(await aggregates.change(document, change));
    },
    async listOpen(limit) {
      const filter = { open_since: { $type: 'date' as const } };
      return (await aggregates.list(filter, { sort: { open_since: 1 }, limit })).map(fromDiscrepancyDocument);
    },
  };
}

function nextDueMs({ status }: DiscrepancyState, nowMs: number): number | undefined {
  switch (status) {
    case 'watching':
      return nowMs + ASK_EVERY_MS;
    case 'booking':
    case 'moving':
      return nowMs + RESUME_AFTER_MS;
    case 'open':
    case 'closed':
    case 'decided':
      return undefined;
    default:
      return status satisfies never;
  }
}
