import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from '../context.ts';
import type { Rail } from '../control/behaviours.ts';

/** What a simulated customer sees (contract §5). */
export type PayAnswer = { accepted: boolean; reason?: string };

/**
 * How a customer's payment goes by the rail's forced behaviour (contract §11): not at all, or when the gateway is first notified
 * of it.
 */
export type Forced = { refused: PayAnswer } | { tellAfterMs: number };

/** A rail whose answers are lost tells the gateway so much later. */
const LOST_MS = 5_000;

const OUT_OF_ORDER: PayAnswer = { accepted: false, reason: 'The rail is out of order' };
const DECLINED: PayAnswer = { accepted: false, reason: 'Do Not Honor' };

/**
 * `failed`: the rail declines; `error`: it is out of order; `timeout`: it takes the money and the gateway is notified 5 s later.
 * Of the share `error_rate` half are out of order and half are heard of later. `latency_ms` passes first.
 */
export async function forcedOf(
  { behaviours, random, stopping }: Pick<Context, 'behaviours' | 'random' | 'stopping'>,
  rail: Rail,
): Promise<Forced> {
  const { outcome, latency_ms: latencyMs = 0, error_rate: errorRate = 0 } = behaviours.get(rail);
  if (latencyMs > 0) await sleep(latencyMs, undefined, { signal: stopping }).catch(() => {});
  const draw = random();
  if (outcome === 'error' || draw < errorRate / 2) return { refused: OUT_OF_ORDER };
  if (outcome === 'failed') return { refused: DECLINED };
  return { tellAfterMs: outcome === 'timeout' || draw < errorRate ? LOST_MS : 0 };
}
