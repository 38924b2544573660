import type { Context } from '../context.ts';
import { dueAtMs } from './delivery.ts';
import { dispatch } from './dispatch.ts';
import type { StoredDelivery } from './document.ts';
import { giveBack } from './give-back.ts';
import { BLOCKED_MS } from './store.ts';

/**
 * A delivery whose time has come, claimed by this process: it goes to its lane, unless an earlier event of the same aggregate is neither delivered nor
 * given up. Then it is looked at again when that one is due; mostly it is woken before. A redelivery of what is over waits for nobody.
 */
export async function onDeliveryDue(context: Context, stored: StoredDelivery): Promise<void> {
  const predecessor = stored.delivery.state.status === 'pending' ? await context.deliveries.predecessorOf(stored) : undefined;
  if (predecessor === undefined) return dispatch(context, stored);
  const nowMs = context.clock.now();
  const afterMs = Math.max(BLOCKED_MS, (dueAtMs(predecessor.state) ?? nowMs) - nowMs);
  await giveBack(context, stored, afterMs);
}
