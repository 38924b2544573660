import type { BindingState, Tokens } from './state.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;

/** One whose process has died is taken up again this long after its last step; longer than all calls of a step. */
const RESUME_AFTER_MS = 8 * SECOND;
/** After the n-th try without an answer the bank is asked again. */
const DELAYS_MS = [1, 2, 3, 5, 10, 20, 30, 60, 120, 300].map((seconds) => seconds * SECOND);
const DELAY_MAX_MS = 15 * MINUTE;
/** A bank that does not finish a binding for so long has not bound it. */
export const CONNECTING_MAX_MS = 10 * MINUTE;

export function delayAfter(tries: number): number {
  return DELAYS_MS[tries - 1] ?? DELAY_MAX_MS;
}

/** When a binding's timer fires next; undefined for never. `expiresAtMs` is when the customer has to be done. */
export function nextDueMs(state: BindingState, expiresAtMs: number, nowMs: number): number | undefined {
  const after = (tries: number) => nowMs + (tries === 0 ? RESUME_AFTER_MS : delayAfter(tries));
  switch (state.status) {
    case 'awaiting-consent':
    case 'awaiting-otp':
      return expiresAtMs;
    case 'connecting':
      return after(state.tries);
    case 'active':
      if (state.unbinding?.stage === 'confirmed') return after(state.unbinding.tries);
      return Math.min(
        state.tries > 0 ? after(state.tries) : refreshAtMs(state.tokens),
        state.unbinding === undefined ? Number.POSITIVE_INFINITY : state.unbinding.otp.expiresAtMs,
      );
    case 'failed':
      return state.leftover && after(state.leftover.tries);
    case 'expired':
    case 'unbound':
      return undefined;
    default:
      return state satisfies never;
  }
}

/** Tokens are refreshed a day before they end, or after four fifths of a shorter life. */
export function refreshAtMs({ issuedAtMs, expiresAtMs }: Tokens): number {
  return expiresAtMs - Math.min(DAY, (expiresAtMs - issuedAtMs) / 5);
}
