import type { Card } from '@gerbang/proto/gerbang/cards/v1/cards';
import { PaymentStatus } from '@gerbang/proto/gerbang/cards/v1/cards';
import { CardData } from '@gerbang/rails/card';
import type { Context } from '../context.ts';
import { statusOf, toChallenge } from '../payment/message.ts';
import type { StoredPlan } from './document.ts';
import { toPlanMessage } from './message.ts';
import type { PlanCard } from './state.ts';

/** The card of a request. */
export function cardOf(card: Card | undefined): CardData {
  if (card === undefined) throw new Error('a plan has come without its card');
  const { number, expiry, cvv, holderName } = card;
  return new CardData({ number, expiry, cvv, holderName });
}

/** What of a card a plan has, once the vault keeps the rest. */
export function planCard(card: CardData, sent: Card | undefined, token: string): PlanCard {
  return {
    token,
    maskedCard: card.masked,
    brand: card.brand,
    holderName: sent?.holderName ?? '',
    expiry: sent?.expiry ?? '',
    expiresAtMs: card.expiresAtMs,
    networkTransactionId: '',
    isExpiryAnnounced: false,
  };
}

/** A plan as its merchant sees it, and why its charge was declined where it was. */
export async function shownPlan({ payments, cycles }: Pick<Context, 'payments' | 'cycles'>, plan: StoredPlan) {
  const { state, order } = plan;
  const newest = state.open?.cycle ?? state.nextCycle - 1;
  const cycle = newest < 1 ? undefined : await cycles.find(order.id, newest);
  const declinedReason = cycle?.state.status === 'failed' ? cycle.state.failure.reason : '';
  const payment = cycle?.state.status === 'processing' ? await payments.find(cycle.state.attempt.paymentId) : undefined;
  const isOpen = payment !== undefined && statusOf(payment.state) === PaymentStatus.PENDING;
  return { plan: toPlanMessage(plan, isOpen ? toChallenge(payment.state) : undefined), declinedReason };
}
