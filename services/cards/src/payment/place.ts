import { RefusalError, refuse, refuseField } from '@gerbang/core';
import type { Profile } from '@gerbang/proto/gerbang/merchant/v1/merchant';
import { type CardData, whyNoInstallment } from '@gerbang/rails/card';
import { withinOr } from '@gerbang/runtime';
import { CARD, type Context } from '../context.ts';
import { advancePayment, workOn } from './advance.ts';
import { authorise } from './authorise.ts';
import { changePayment } from './change.ts';
import type { StoredPayment } from './document.ts';
import { untold } from './link-standing.ts';
import type { PaymentOrder } from './state.ts';

/** A payment is answered when the acquirer has answered, or after this long as it then stands. */
export const ANSWER_AFTER_MS = 3_000;

/** Of the customer where the customer calls us, or of the merchant's server; counted against card testing, and not stored. */
type Addresses = { clientAddress?: string; callerAddress?: string };

export type Ordered = Pick<
  PaymentOrder,
  | 'merchantId'
  | 'accountId'
  | 'amountSen'
  | 'installment'
  | 'installmentMonths'
  | 'customer'
  | 'merchantReffNo'
  | 'redirectUrl'
  | 'cardHolderName'
  | 'recurring'
  | 'link'
>;
export type NewPayment = Ordered & Addresses;

/**
 * Charges a card under an id, and gives the payment as it stands when the acquirer has answered, or after `answerAfterMs`,
 * else 3 s. One that was begun under this id before and never sent is sent now; else it is inquired. One that looks like card testing has failed, and is not
 * sent. Refusals: product_not_allowed, account_not_found,
 * account_of_other_merchant, frozen, account_limit, validation (card_expiry, installment_month), unavailable.
 */
export async function placePayment(
  context: Context,
  id: string,
  wanted: NewPayment,
  card: CardData,
  { answerAfterMs = ANSWER_AFTER_MS } = {},
): Promise<StoredPayment> {
  const { clientAddress = '', callerAddress = '', ...ordered } = wanted;
  const profile = await admitPayment(context, ordered, card);
  const order: PaymentOrder = {
    ...ordered,
    id,
    partition: profile.partition,
    merchantName: profile.name,
    maskedCard: card.masked,
    brand: card.brand,
    createdAtMs: context.clock.now(),
  };
  const payment = await context.payments.insertOrFind(order);
  const work = async () => {
    // Another card has come under the same id: only the one that the payment was written down for is charged.
    const isItsCard = payment.order.maskedCard === card.masked;
    const isToSend = payment.state.status === 'created' && isItsCard;
    const sent = isToSend ? await send(context, payment, { card, clientAddress, callerAddress }) : payment;
    // What has an outcome goes on by its timer, but the customer of a link waits for the link.
    const isWaitedFor = sent.state.status === 'authorising' && sent === payment;
    return isWaitedFor || untold(sent) !== undefined ? advancePayment(context, sent) : sent;
  };
  return withinOr(answerAfterMs, workOn(context, payment, work), asSent(payment));
}

/**
 * Sends a payment to the acquirer, unless it looks like card testing. A plan's card that was charged before is not counted any more;
 * one that was not yet could be tested by a plan as well as by a payment.
 */
async function send(
  context: Context,
  payment: StoredPayment,
  { card, ...addresses }: { card: CardData; clientAddress: string; callerAddress: string },
): Promise<StoredPayment> {
  const { id: paymentId, merchantId, recurring } = payment.order;
  const isKnown = recurring?.initiatedBy === 'merchant' && recurring.networkTransactionId !== '';
  if (!isKnown && (await context.velocity.isRefused({ paymentId, merchantId, card, ...addresses })))
    return (await changePayment(context, payment, { type: 'refuse' })).payment;
  return authorise(context, payment, card);
}

/**
 * Whether a payment may be taken at all. Refusals: product_not_allowed, account_not_found, account_of_other_merchant, frozen,
 * account_limit, validation (card_expiry, installment_month), unavailable.
 */
export async function admitPayment(
  context: Context,
  wanted: Pick<NewPayment, 'merchantId' | 'accountId' | 'amountSen' | 'installmentMonths'>,
  card: CardData,
): Promise<Profile> {
  mustNotHaveExpired(card, context.clock.now());
  const { profile } = await context.merchants.admit(wanted.merchantId, CARD, wanted.accountId);
  mustBeOffered(context, wanted, card);
  mustBeWithinLimits(profile, wanted);
  return profile;
}

/** How the payment stands while the acquirer owes its answer. */
function asSent(payment: StoredPayment): StoredPayment {
  if (payment.state.status !== 'created') return payment;
  const asked = { tries: 0, waitingFor: '' };
  return { ...payment, state: { status: 'authorising', sentAtMs: payment.order.createdAtMs, asked } };
}

/** A card is good to the end of its month. */
function mustNotHaveExpired(card: CardData, nowMs: number): void {
  if (card.isExpired(nowMs)) throw new RefusalError(refuseField('card_expiry', 'is past'));
}

const NOT_OFFERED = {
  months: 'is not offered',
  card: 'is not offered for this card',
  amount: 'is not offered for so small an amount',
} as const;

/** Installments are what the acquirer offers for the card and the amount. */
function mustBeOffered(
  { terms }: Context,
  { installmentMonths: months, amountSen }: Pick<NewPayment, 'installmentMonths' | 'amountSen'>,
  card: CardData,
): void {
  const why = whyNoInstallment(terms, card, { months, amountSen });
  if (why !== undefined) throw new RefusalError(refuseField('installment_month', NOT_OFFERED[why]));
}

/** What operators have set for one payment of the product. */
function mustBeWithinLimits({ limits }: Profile, { amountSen }: Pick<NewPayment, 'amountSen'>): void {
  const limit = limits.find(({ product }) => product === CARD);
  if (limit === undefined) return;
  const isTooMuch = limit.maximumSen > 0n && amountSen > limit.maximumSen;
  if (isTooMuch || amountSen < limit.minimumSen) throw new RefusalError(refuse('account_limit'));
}
