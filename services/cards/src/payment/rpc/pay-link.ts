import type { MessageInitShape } from '@bufbuild/protobuf';
import { newUlid } from '@gerbang/core';
import type { PayLinkRequest, PayLinkResponseSchema } from '@gerbang/proto/gerbang/cards/v1/cards';
import type { BeginCardPaymentResponse } from '@gerbang/proto/gerbang/money_in/v1/link_card';
import { CardData } from '@gerbang/rails/card';
import type { Context } from '../../context.ts';
import type { StoredPayment } from '../document.ts';
import { statusOf, toChallenge } from '../message.ts';
import { paymentId } from '../own.ts';
import { placePayment } from '../place.ts';

/**
 * Charges a card for a session of a payment link. money-in keeps which try has which payment, so that a form that is submitted
 * twice, or by two pages, charges once; amount and account are the session's. Refusals: transaction_not_found, validation (attempt,
 * card_expiry), bad_request, product_not_allowed, account_not_found, frozen, account_limit, unavailable.
 */
export async function payLink(
  context: Context,
  { reffNo, attempt, card, clientAddress }: PayLinkRequest,
): Promise<MessageInitShape<typeof PayLinkResponseSchema>> {
  if (card === undefined) throw new Error('a card payment has come without its card');
  const { number, expiry, cvv, holderName } = card;
  const candidate = paymentId(newUlid(context.clock.now()));
  const begun = await context.links.beginCardPayment({ reffNo, attempt, paymentId: candidate });
  const known = await context.payments.find(begun.paymentId, { linearizable: true });
  const isSent = known !== undefined && known.state.status !== 'created';
  const payment =
    begun.mayCharge && !isSent
      ? await charge(context, { reffNo, begun, clientAddress }, new CardData({ number, expiry, cvv, holderName }), holderName)
      : known;
  if (payment === undefined) return {};
  const { state } = payment;
  return { id: begun.paymentId, status: statusOf(state), ...toChallenge(state) };
}

function charge(
  context: Context,
  { reffNo, begun, clientAddress }: { reffNo: string; begun: BeginCardPaymentResponse; clientAddress: string },
  card: CardData,
  cardHolderName: string,
): Promise<StoredPayment> {
  const { merchantId, accountId, amountSen, linkReffNo, expiresAtMs } = begun;
  const wanted = {
    merchantId,
    accountId,
    amountSen,
    installment: 1,
    installmentMonths: 1,
    customer: { name: begun.customerName, email: begun.customerEmail, phone: begun.customerPhone },
    merchantReffNo: '',
    redirectUrl: '',
    cardHolderName,
    // Counted against card testing, and not stored.
    clientAddress,
    link: { linkReffNo, sessionReffNo: reffNo, expiresAtMs: Number(expiresAtMs) },
  };
  return placePayment(context, begun.paymentId, wanted, card);
}
