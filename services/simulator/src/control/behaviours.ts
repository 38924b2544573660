import type { Store } from '@gerbang/store';
import { z } from 'zod';
import { ControlError } from './json.ts';

/** The rails of the contract. A behaviour may be set for each of them; it shows where something is paid over the rail. */
export const RAILS = ['bank-transfer', 'qris', 'ewallet', 'card', 'direct-debit', 'biller', 'va', 'retail', 'cardless'] as const;
export type Rail = (typeof RAILS)[number];

export const behaviourSchema = z
  .strictObject({
    /** What every call comes to; absent = as the beneficiary says. */
    outcome: z.enum(['success', 'failed', 'timeout', 'error']).optional(),
    /** `failed` by this HTTP status and case (`40302`) instead of the rail's usual one; of bank-transfer only. */
    failed_case: z
      .string()
      .regex(/^40[0345][0-9]{2}$/, 'expected an HTTP status (400, 403, 404, 405) and two digits of a case')
      .optional(),
    /** Answers come this much later, real time. */
    latency_ms: z.number().int().min(0).max(60_000).optional(),
    /** Share of calls that answer 500, half of them before and half after the booking. */
    error_rate: z.number().min(0).max(1).optional(),
  })
  .refine(({ outcome, failed_case: failedCase }) => failedCase === undefined || outcome === 'failed', {
    path: ['failed_case'],
    error: 'needs the outcome failed',
  });
export type Behaviour = z.infer<typeof behaviourSchema>;

/** How the rails behave now; durable, so that a restart of the simulator changes nothing. */
export type RailBehaviours = {
  get(rail: Rail): Behaviour;
  set(rail: Rail, behaviour: Behaviour): Promise<void>;
  clear(rail: Rail): Promise<void>;
};

type BehaviourDocument = { _id: Rail; schema: number; behaviour: string };

export async function openRailBehaviours(store: Store): Promise<RailBehaviours> {
  const collection = store.collection<BehaviourDocument>('rail_behaviours');
  const documents = await collection.find({}).toArray();
  const current = new Map(documents.map(({ _id, behaviour }) => [_id, behaviourSchema.parse(JSON.parse(behaviour))]));
  return {
    get: (rail) => current.get(rail) ?? {},
    async set(rail, behaviour) {
      await collection.replaceOne({ _id: rail }, { schema: 1, behaviour: JSON.stringify(behaviour) }, { upsert: true });
      current.set(rail, behaviour);
    },
    async clear(rail) {
      await collection.deleteOne({ _id: rail });
      current.delete(rail);
    },
  };
}

/** The rail that a route's parameters name; 404 when it is none. */
export function railOf(params: unknown): Rail {
  const parsed = z.object({ rail: z.enum(RAILS) }).safeParse(params);
  if (parsed.success) return parsed.data.rail;
  throw new ControlError(404, `There is no such rail. Rails: ${RAILS.join(', ')}.`);
}
