import { PayableStatus, type PaymentLink, type PaymentLinkHistory } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import type { Bill } from '../pages/summary.ts';
import { type Phase, phaseOfPayment } from '../status/phase.ts';

export const CARD = 'CARD';

/** A payment link as one customer has opened it. `merchantName` may be empty. */
export type Session = { link: PaymentLink; history: PaymentLinkHistory; merchantName: string };

/** How a session stands. A wallet or a card that was declined leaves it open: a wallet for other methods, a card for another card. */
export function phaseOf(history: PaymentLinkHistory, nowMs: number): Phase {
  const phase = phaseOfPayment(history, nowMs);
  if (phase !== 'open') return phase;
  const { paymentMethod, declinedPaymentMethods, cardAttempt } = history;
  const isCardDeclined = paymentMethod === CARD && cardAttempt?.isOpen === false;
  return isCardDeclined || declinedPaymentMethods.includes(paymentMethod) ? 'declined' : phase;
}

/** What a session's pages ask for. */
export function billOf({ link, history, merchantName }: Session): Bill {
  const { title, description } = link;
  return { title, description, merchantName, amountSen: history.amountSen, expiredAtMs: history.expiredAtMs };
}

/** Whether the link can still be opened or have a method chosen. */
export function isLinkOpen({ status, expiredAtMs }: PaymentLink, nowMs: number): boolean {
  return status === PayableStatus.ACTIVE && (expiredAtMs === undefined || Number(expiredAtMs) > nowMs);
}
