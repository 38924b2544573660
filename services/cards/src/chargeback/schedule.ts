import type { ChargebackState } from './state.ts';

const SECOND = 1_000;

/** One whose process has died is taken up again this long after its last step. */
const RESUME_AFTER_MS = 8 * SECOND;
/** After the n-th look at a payment whose money is on its way. */
const DELAYS_MS = [2, 5, 10, 30, 60, 300].map((seconds) => seconds * SECOND);
const DELAY_MAX_MS = 15 * 60 * SECOND;

/** When a chargeback's timer fires next; undefined for never. */
export function nextDueMs(state: ChargebackState, nowMs: number): number | undefined {
  switch (state.status) {
    case 'opened':
      return nowMs + (state.tries === 0 ? RESUME_AFTER_MS : (DELAYS_MS[state.tries - 1] ?? DELAY_MAX_MS));
    case 'reserving':
    case 'restoring':
    case 'forfeiting':
      return nowMs + RESUME_AFTER_MS;
    case 'unmatched':
    case 'reserved':
    case 'won':
    case 'lost':
      return undefined;
    default:
      return state satisfies never;
  }
}
