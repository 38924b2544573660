import type { Clock } from '@gerbang/core';
import { type Store, traced } from '@gerbang/store';
import type { StoredPlanDocument } from './document.ts';
import { PLANS } from './store.ts';

/** Statuses of plans that have not ended; those that have are without number. */
const OPEN_STATUSES = ['pending', 'active', 'paused', 'past_due'] as const;
export type OpenPlanStatus = (typeof OPEN_STATUSES)[number];

/** A count of many plans takes a while: it is made so often at the most. */
const COUNT_EVERY_MS = 30_000;

/** What is read of all plans for metrics. */
export async function openPlanGauges(store: Store, clock: Clock) {
  const collection = store.collection<StoredPlanDocument>(PLANS);
  await collection.createIndex({ status: 1 }, { name: 'status' });
  let counted: { atMs: number; counts: Promise<ReadonlyMap<OpenPlanStatus, number>> } | undefined;
  const count = async () => {
    const counting = OPEN_STATUSES.map(async (status) => {
      const found = await traced('countDocuments', PLANS, () => collection.countDocuments({ status }));
      return [status, found] as const;
    });
    return new Map(await Promise.all(counting));
  };
  return {
    countPlans(): Promise<ReadonlyMap<OpenPlanStatus, number>> {
      const atMs = Date.now();
      if (counted !== undefined && atMs - counted.atMs < COUNT_EVERY_MS) return counted.counts;
      const counts = count();
      counted = { atMs, counts };
      // One that has failed is not shown again.
      counts.catch(() => {
        counted = undefined;
      });
      return counts;
    },
    async planLagMs(): Promise<number> {
      const nowMs = clock.now();
      const due = { due_at: { $type: 'date', $lte: new Date(nowMs) } } as const;
      const [oldest] = await traced('find', PLANS, () =>
        collection
          .find(due, { projection: { due_at: 1 } })
          .sort({ due_at: 1 })
          .limit(1)
          .toArray(),
      );
      return oldest?.due_at === undefined ? 0 : nowMs - oldest.due_at.getTime();
    },
  };
}
