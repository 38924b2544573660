import type { TransferEvent } from './event.ts';
import { isHeld, type TransferState } from './state.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** How long after the n-th attempt that left the outcome open the rail is asked again. */
const INQUIRY_DELAYS_MS = [1, 2, 3, 5, 10, 20, 30, 60, 120, 300].map((seconds) => seconds * SECOND);
const INQUIRY_DELAY_MAX_MS = 15 * MINUTE;

/** A transfer whose process has died is taken up again this long after its last step. */
export const RESUME_AFTER_MS = 8 * SECOND;

/**
 * A rail that answers within this time, real time, spares the transfer a write; during a slower answer the transfer is shown as
 * pending.
 */
export const SENT_AFTER_MS = 300;

/** A transfer that the rail could not settle for this long goes to the operators (architecture §5); inquiries go on. */
export const UNRESOLVED_AFTER_MS = 24 * 60 * MINUTE;

/** When a transfer's timer fires next, after an event: a time, never, or when it would have fired anyway. */
export type NextDue = { atMs: number } | 'never' | 'unchanged';

/** `state` is the one after the event; `expiresAtMs` where the product cancels it by itself then. */
export function nextDue(state: TransferState, event: TransferEvent, nowMs: number, expiresAtMs: number | undefined): NextDue {
  switch (event.type) {
    case 'sent':
    case 'cancel-requested':
    case 'return-reported':
    case 'refund-requested':
    case 'payment-approved':
      return { atMs: nowMs + RESUME_AFTER_MS };
    case 'waited': {
      const inquiryAtMs = nowMs + inquiryDelayMs(isHeld(state) ? state.inquiries - 1 : 0);
      const expires = state.status === 'sent' && expiresAtMs !== undefined;
      return { atMs: expires ? Math.max(nowMs, Math.min(inquiryAtMs, expiresAtMs)) : inquiryAtMs };
    }
    case 'refund-awaited':
      return { atMs: nowMs + inquiryDelayMs(state.status === 'succeeded' && state.refund ? state.refund.attempts - 1 : 0) };
    case 'resolution-proposed':
      return 'unchanged';
    case 'succeeded':
    case 'failed':
    case 'canceled':
    case 'refunded':
    case 'return-booked':
    case 'refund-refused':
    case 'payment-reported':
    case 'payment-dismissed':
    case 'payment-refused':
    case 'payment-booked':
      return 'never';
    default:
      return event satisfies never;
  }
}

/** Delay before the next inquiry, when `inquiries` before this one have left the outcome open. */
export function inquiryDelayMs(inquiries: number): number {
  return INQUIRY_DELAYS_MS[inquiries] ?? INQUIRY_DELAY_MAX_MS;
}
