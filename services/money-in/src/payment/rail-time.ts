import type { Payment, PaymentOrder } from './order.ts';

/** How far a rail's time may be from ours: before the payment request was made, and after the report came in (contract §5). */
const EARLIEST_MS = 86_400_000;
const LATEST_MS = 10 * 60_000;
/** Numbers are used again after 90 days (architecture §5). */
const NUMBERS_REST_MS = 90 * 86_400_000;

/** What operators' alerts go by: a rail tells a time of a payment that cannot be. */
export const UNBELIEVABLE_TIME = 'rail_time_not_believed';

type Told = Pick<PaymentOrder, 'paidAtMs' | 'receivedAtMs'>;

/** Whether the rail's time of a payment can be true of a request that was made at `createdAtMs`. */
export function isBelievable({ paidAtMs, receivedAtMs }: Told, createdAtMs: number): boolean {
  return paidAtMs >= createdAtMs - EARLIEST_MS && paidAtMs <= receivedAtMs + LATEST_MS;
}

/**
 * The time by which a payment out of suspense is charged and shown. Money without a payment request has no bound of its own: no
 * number that was paid longer ago than numbers rest could still be known.
 */
export function bookedAtMs({ order, state }: Payment): number {
  const { paidAtMs, receivedAtMs, requestId } = order;
  const isUnbelievable = 'reason' in state && state.reason === 'unbelievable-time';
  const isOff = requestId === '' && !isBelievable(order, receivedAtMs - NUMBERS_REST_MS);
  return isUnbelievable || isOff ? receivedAtMs : paidAtMs;
}
