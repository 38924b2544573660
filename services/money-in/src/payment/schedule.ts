import type { PaymentState } from './state.ts';

/** A payment whose process has died is taken up again this long after its last step. */
const RESUME_AFTER_MS = 5_000;

/**
 * When a payment's timer fires next: at its settlement once it is paid; until it is at rest, should this process die; undefined
 * for never.
 */
export function nextDueMs(state: PaymentState, nowMs: number): number | undefined {
  switch (state.status) {
    case 'paid':
      return state.fees.settleAtMs;
    case 'received':
    case 'accepted':
    case 'suspending':
    case 'crediting':
    case 'refunding':
    case 'reversing':
      return nowMs + RESUME_AFTER_MS;
    case 'settled':
    case 'refused':
    case 'suspended':
    case 'credited':
    case 'refunded':
    case 'reversed':
    case 'contested':
    case 'withdrawn':
      return undefined;
    default:
      return state satisfies never;
  }
}
