import type { Context } from '../context.ts';
import { changePayment } from './change.ts';
import type { StoredPayment } from './document.ts';
import { NEVER_SENT } from './payment.ts';
import type { Ordered } from './place.ts';
import type { PaymentOrder } from './state.ts';

/**
 * Sees to it that nothing is sent under an id that no process has sent a payment under yet: a process that was to send it, and stood
 * still meanwhile, finds a payment that has failed. Gives the payment as it now stands; it has not failed with `NEVER_SENT` where the
 * other process was faster. The merchant is not notified of a payment that was never there before. Refusals: unavailable.
 */
export async function fencePayment(
  context: Context,
  id: string,
  ordered: Ordered,
  { maskedCard, brand }: Pick<PaymentOrder, 'maskedCard' | 'brand'>,
): Promise<StoredPayment> {
  const { partition, name: merchantName } = await context.merchants.profile(ordered.merchantId);
  const nowMs = context.clock.now();
  const order: PaymentOrder = { ...ordered, id, partition, merchantName, maskedCard, brand, createdAtMs: nowMs };
  const found = await context.payments.insertOrFind(order, { status: 'failed', ...NEVER_SENT, endedAtMs: nowMs });
  return (await changePayment(context, found, { type: 'give-up' })).payment;
}

/** Whether nothing was sent of it, and nothing ever will be. */
export function isNeverSent({ state }: StoredPayment): boolean {
  return state.status === 'failed' && state.code === NEVER_SENT.code;
}
