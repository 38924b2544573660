import { PayableStatus } from '@gerbang/proto/gerbang/money_in/v1/money_in';

/**
 * How a payment stands, as its pages tell it: it can be paid; the wallet or card that was chosen for it was declined; it has been
 * paid; it is over.
 */
export type Phase = 'open' | 'declined' | 'paid' | 'expired' | 'failed';

/** What pages that follow a payment know of it. */
type Payment = { status: PayableStatus; expiredAtMs: bigint };

/** One whose time has passed is over from that moment on, also before money-in has noted it. */
export function phaseOfPayment({ status, expiredAtMs }: Payment, nowMs: number): Exclude<Phase, 'declined'> {
  switch (status) {
    case PayableStatus.COMPLETED:
      return 'paid';
    case PayableStatus.FAILED:
      return 'failed';
    case PayableStatus.ACTIVE:
      return Number(expiredAtMs) <= nowMs ? 'expired' : 'open';
    default:
      return 'expired';
  }
}

/** How long it can still be paid, in milliseconds; never negative. */
export function remainingMs({ expiredAtMs }: Pick<Payment, 'expiredAtMs'>, nowMs: number): number {
  return Math.max(0, Number(expiredAtMs) - nowMs);
}
