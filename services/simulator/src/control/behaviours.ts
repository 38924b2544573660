import type { Store } from '@gerbang/store';
import { z } from 'zod';

/** Rails of the contract; behaviours may be set for all of them, those that have a rail behind them obey. */
export const RAILS = ['bank-transfer', 'qris', 'ewallet', 'card', 'direct-debit', 'biller', 'va', 'retail', 'cardless'] as const;
export type Rail = (typeof RAILS)[number];

export const behaviourSchema = z.strictObject({
  /** What every call comes to; absent = as the beneficiary says. */
  outcome: z.enum(['success', 'failed', 'timeout', 'error']).optional(),
  /** Answers come this much later, real time. */
  latency_ms: z.number().int().min(0).max(60_000).optional(),
  /** Share of calls that answer 500, half of them before and half after the booking. */
  error_rate: z.number().min(0).max(1).optional(),
});
export type Behaviour = z.infer<typeof behaviourSchema>;

/** How the rails behave now; durable, so that a restart of the simulator changes nothing. */
export type RailBehaviours = {
  get(rail: Rail): Behaviour;
  set(rail: Rail, behaviour: Behaviour): Promise<void>;
  clear(rail: Rail): Promise<void>;
};

type BehaviourDocument = { _id: Rail; behaviour: Behaviour };

export async function openRailBehaviours(store: Store): Promise<RailBehaviours> {
  const collection = store.collection<BehaviourDocument>('behaviours');
  const current = new Map((await collection.find({}).toArray()).map(({ _id, behaviour }) => [_id, behaviour]));
  return {
    get: (rail) => current.get(rail) ?? {},
    async set(rail, behaviour) {
      await collection.replaceOne({ _id: rail }, { behaviour }, { upsert: true });
      current.set(rail, behaviour);
    },
    async clear(rail) {
      await collection.deleteOne({ _id: rail });
      current.delete(rail);
    },
  };
}
