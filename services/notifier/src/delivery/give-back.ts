import type { Context } from '../context.ts';
import type { StoredDelivery } from './document.ts';

/** Leaves the delivery to whoever finds it due again; never rejects, because the lease ends anyway. */
export async function giveBack(context: Context, stored: StoredDelivery, afterMs: number): Promise<void> {
  try {
    await context.deliveries.postpone(stored, context.clock.now() + afterMs);
  } catch (error) {
    context.log.warn({ err: error, event_id: stored.delivery.id }, 'could not give a delivery back; its lease will end');
  }
}
