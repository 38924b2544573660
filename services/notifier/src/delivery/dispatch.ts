import type { Context } from '../context.ts';
import { attempt } from './attempt.ts';
import type { StoredDelivery } from './document.ts';
import { giveBack } from './give-back.ts';

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

/** A merchant's endpoint: what has its own share of attempts. */
function laneOf(merchantId: string, url: string): string {
  return `${merchantId} ${URL.canParse(url) ? new URL(url).origin : ''}`;
}
