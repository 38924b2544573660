import type { GetSessionRequest } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import type { Context } from '../../context.ts';
import { toPaymentLink } from '../../payment-link/message.ts';
import { shownProducts } from '../../payment-link/payment-methods.ts';
import { isOffered } from '../../payment-request/method.ts';
import { shownMerchantName } from '../../payment-request/shown-merchant-name.ts';
import { findSession } from '../find.ts';
import { toHistory } from '../message.ts';

/**
 * A session as it now stands, with its link, which shows only the methods that can be used here. Refusals: transaction_not_found.
 */
export async function getSession(context: Context, { reffNo }: GetSessionRequest) {
  const { session, link } = await findSession(context, reffNo);
  const paymentLink = toPaymentLink(link);
  const products = await shownProducts(context, link.order.merchantId);
  paymentLink.paymentMethods = paymentLink.paymentMethods.filter((code) => isOffered(context.kinds.methods, code, products));
  return {
    paymentLink,
    paymentLinkHistory: toHistory(session),
    merchantName: await shownMerchantName(context, link.order),
  };
}
