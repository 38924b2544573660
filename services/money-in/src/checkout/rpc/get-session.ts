import type { GetSessionRequest } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import type { Context } from '../../context.ts';
import { toHistory, toPaymentLink } from '../../payment-link/message.ts';
import { hasNumbers } from '../../payment-link/payable-methods.ts';
import { findSession } from '../find.ts';
import { shownMerchantName } from '../shown-merchant-name.ts';

/** A session as it now stands, with its link, which has those methods alone that can be used here. Refusals: transaction_not_found. */
export async function getSession(context: Context, { reffNo }: GetSessionRequest) {
  const { history, link } = await findSession(context, reffNo);
  const paymentLink = toPaymentLink(link);
  paymentLink.paymentMethods = paymentLink.paymentMethods.filter((code) => hasNumbers(context.vaSeries, code));
  return {
    paymentLink,
    paymentLinkHistory: toHistory(history),
    merchantName: await shownMerchantName(context, link.order),
  };
}
