import type { Context } from '../context.ts';
import { attempt } from './attempt.ts';
import type { StoredDelivery } from './document.ts';

/**
 * Hands a delivery that this process has just claimed to its endpoint's lane. The claim ends with the attempt, or is given back when the lane has no
 * room soon.
 */
export function dispatch(context: Context, stored: StoredDelivery): void {
  const { delivery } = stored;
  const turnMs = context.deliveries.turnMs(stored);
  if (turnMs <= 0) {
    void giveBack(context, stored, 0);
    return;
  }
  const comeBackMs = context.lanes.offer(laneOf(delivery.merchantId, delivery.url), {
    startBeforeMs: performance.now() + turnMs,
    run: () => attempt(context, stored),
    expire: () => giveBack(context, stored, 0),
  });
  if (comeBackMs !== undefined) void giveBack(context, stored, comeBackMs);
}

/** Leaves the delivery to whoever finds it due again; never rejects, because the lease ends anyway. */
export async function giveBack(context: Context, stored: StoredDelivery, afterMs: number): Promise<void> {
  try {
    await context.deliveries.postpone(stored, context.clock.now() + afterMs);
  } catch (error) {
    context.log.warn({ err: error, event_id: stored.delivery.id }, 'could not give a delivery back; its lease will end');
  }
}

/** A merchant's endpoint: what has its own share of attempts. */
function laneOf(merchantId: string, url: string): string {
  return `${merchantId} ${URL.canParse(url) ? new URL(url).origin : ''}`;
}
