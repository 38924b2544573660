import { delayAfter } from '../binding/schedule.ts';
import { RESUME_AFTER_MS } from './refund.ts';
import { type ChargeState, isCharged, type Refund } from './state.ts';

/** A charge or refund whose outcome the bank has not told for so long is for the operators; it is asked on. */
export const UNRESOLVED_AFTER_MS = 24 * 3_600_000;

/** When a charge's timer fires next, by what there is to do of it and of its refunds; undefined for never. */
export function nextDueMs(state: ChargeState, nowMs: number): number | undefined {
  const moments = [
    ownDueMs(state, nowMs),
    ...(isCharged(state) ? state.refunds.map((refund) => refundDueMs(refund, nowMs)) : []),
  ];
  const known = moments.filter((ms) => ms !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}

function ownDueMs(state: ChargeState, nowMs: number): number | undefined {
  switch (state.status) {
    case 'created':
    case 'crediting':
    case 'settling':
      return nowMs + RESUME_AFTER_MS;
    case 'awaiting-otp':
      return state.otp.expiresAtMs;
    case 'sending':
      return nowMs + (state.inquiries === 0 ? RESUME_AFTER_MS : delayAfter(state.inquiries));
    case 'paid':
      return state.fees.settleAtMs;
    case 'settled':
    case 'failed':
    case 'expired':
      return undefined;
    default:
      return state satisfies never;
  }
}

function refundDueMs({ stage }: Refund, nowMs: number): number | undefined {
  switch (stage.status) {
    case 'reserving':
    case 'returning':
      return nowMs + RESUME_AFTER_MS;
    case 'sending':
      return stage.dueAtMs;
    case 'succeeded':
    case 'failed':
      return undefined;
    default:
      return stage satisfies never;
  }
}
