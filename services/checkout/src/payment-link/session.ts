import { PayableStatus, type PaymentLink, type PaymentLinkHistory } from '@gerbang/proto/gerbang/money_in/v1/money_in';

/** A payment link as one customer has opened it. */
export type Session = { link: PaymentLink; history: PaymentLinkHistory };

/** How a session stands, as its pages tell it: it can be paid; the wallet that was chosen has declined; it has been paid; it is over. */
export type Phase = 'open' | 'declined' | 'paid' | 'expired' | 'failed';

/** A session whose time has passed is over from that moment on, also before money-in has noted it. */
export function phaseOf(history: PaymentLinkHistory, nowMs: number): Phase {
  const { status, expiredAtMs, paymentMethod, declinedPaymentMethods } = history;
  switch (status) {
    case PayableStatus.COMPLETED:
      return 'paid';
    case PayableStatus.FAILED:
      return 'failed';
    case PayableStatus.ACTIVE:
      if (Number(expiredAtMs) <= nowMs) return 'expired';
      return declinedPaymentMethods.includes(paymentMethod) ? 'declined' : 'open';
    default:
      return 'expired';
  }
}

/** How long a session can still be paid, in milliseconds; never negative. */
export function remainingMs({ expiredAtMs }: PaymentLinkHistory, nowMs: number): number {
  return Math.max(0, Number(expiredAtMs) - nowMs);
}

/** Whether the link can still be opened or have a method chosen. */
export function isLinkOpen({ status, expiredAtMs }: PaymentLink, nowMs: number): boolean {
  return status === PayableStatus.ACTIVE && (expiredAtMs === undefined || Number(expiredAtMs) > nowMs);
}
