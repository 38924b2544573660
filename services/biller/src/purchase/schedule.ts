import type { PurchaseEvent, PurchaseState } from './purchase.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** How long after the n-th attempt that left the outcome open the biller is asked again: the customer waits at the counter. */
const INQUIRY_DELAYS_MS = [1, 1, 2, 3, 5, 10, 20, 30, 60, 120, 300].map((seconds) => seconds * SECOND);
const INQUIRY_DELAY_MAX_MS = 15 * MINUTE;

/** A purchase whose process has died is taken up again this long after its last step. */
export const RESUME_AFTER_MS = 8 * SECOND;

/** A biller that answers within this time, real time, spares the purchase a write. */
export const HELD_AFTER_MS = 300;

/** A purchase that the biller could not settle for this long goes to the operators; it is asked about all the same. */
export const UNRESOLVED_AFTER_MS = 60 * MINUTE;

/** When a purchase's timer fires next, after an event: a time, never, or when it would have fired anyway. */
export type NextDue = { atMs: number } | 'never' | 'unchanged';

/** `state` is the one after the event. */
export function nextDue(state: PurchaseState, event: PurchaseEvent, nowMs: number): NextDue {
  switch (event.type) {
    case 'held':
      return { atMs: nowMs + RESUME_AFTER_MS };
    case 'waited':
      return { atMs: nowMs + inquiryDelayMs(state.status === 'held' ? state.inquiries - 1 : 0) };
    case 'resolution-proposed':
    case 'compensation-refused':
      return 'unchanged';
    case 'succeeded':
    case 'failed':
      return 'never';
    default:
      return event satisfies never;
  }
}

/** Delay before the next question, when `inquiries` before this one have left the outcome open. */
export function inquiryDelayMs(inquiries: number): number {
  return INQUIRY_DELAYS_MS[inquiries] ?? INQUIRY_DELAY_MAX_MS;
}
