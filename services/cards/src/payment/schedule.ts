import type { Asked, PaymentState } from './state.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** One whose process has died is taken up again this long after its last step, where that calls the ledger. */
export const RESUME_AFTER_MS = 8 * SECOND;
/** Where it calls the acquirer: longer than a call may take (`RAIL_TIMEOUT_MS`), so that no other process makes it meanwhile. */
const RESUME_CALL_AFTER_MS = 25 * SECOND;
/** The card of one that was not submitted by then is gone with the process that had it. */
export const SUBMIT_WITHIN_MS = 30 * SECOND;
/** An acquirer that does not know a payment for so long will not get it any more. */
export const NOT_FOUND_FINAL_MS = 2 * MINUTE;
/** Beyond the time of one call, for its last answer to be written. */
export const ANSWER_MARGIN_MS = 5 * SECOND;
/** One without an outcome for so long is for the operators; the acquirer is asked on. */
export const UNRESOLVED_AFTER_MS = 24 * 60 * MINUTE;

/** After so long without an outcome operators see it. */
export const LISTED_AFTER_MS = 5 * MINUTE;

/** After the n-th question without an outcome the acquirer is asked again. */
const DELAYS_MS = [1, 2, 3, 5, 10, 20, 30, 60, 120, 300].map((seconds) => seconds * SECOND);
const DELAY_MAX_MS = 15 * MINUTE;
/** While the customer is being authenticated the acquirer reports; it is asked now and then in case a report is lost. */
const CHALLENGE_DELAYS_MS = [5, 10, 20, 30].map((seconds) => seconds * SECOND);

/** When a payment's timer fires next; undefined for never. */
export function nextDueMs(state: PaymentState, nowMs: number): number | undefined {
  switch (state.status) {
    case 'created':
      return nowMs + SUBMIT_WITHIN_MS;
    case 'challenging':
      return nowMs < state.expiresAtMs
        ? Math.min(state.expiresAtMs, nowMs + (CHALLENGE_DELAYS_MS[state.asked.tries - 1] ?? MINUTE))
        : nowMs + delayAfter(state.asked);
    case 'authorising':
    case 'capturing':
    case 'voiding':
    case 'refunding':
    case 'releasing':
      return nowMs + delayAfter(state.asked);
    case 'authorised':
      return state.authorisation.captureAtMs;
    case 'captured':
      return state.capture.settleAtMs;
    case 'crediting':
    case 'settling':
    case 'reserving':
    case 'returning':
    case 'withdrawing':
      return nowMs + RESUME_AFTER_MS;
    case 'cancelled':
    case 'settled':
    case 'refunded':
    case 'failed':
    case 'withdrawn':
    case 'contested':
      return undefined;
    case 'written-off':
      // The merchant keeps the money, so that it still settles.
      return state.capture.settledAtMs === undefined ? state.capture.settleAtMs : undefined;
    default:
      return state satisfies never;
  }
}

function delayAfter({ tries }: Asked): number {
  return tries === 0 ? RESUME_CALL_AFTER_MS : (DELAYS_MS[tries - 1] ?? DELAY_MAX_MS);
}

/** What operators have decided is compared with the acquirer twice a day for a fortnight. */
const WATCH_EVERY_MS = 12 * 60 * MINUTE;
const WATCH_FOR_MS = 14 * 24 * 60 * MINUTE;

/** When the acquirer is asked again about a payment at rest that operators have decided on; undefined for never. */
export function nextWatchMs(decidedAtMs: number | undefined, nowMs: number): number | undefined {
  return decidedAtMs !== undefined && nowMs - decidedAtMs < WATCH_FOR_MS ? nowMs + WATCH_EVERY_MS : undefined;
}
