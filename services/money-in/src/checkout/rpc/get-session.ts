import type { GetSessionRequest } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import type { Context } from '../../context.ts';
import { toHistory, toPaymentLink } from '../../payment-link/message.ts';
import { findSession } from '../find.ts';
import { shownMerchantName } from '../shown-merchant-name.ts';

/** A session as it now stands, with its link. Refusals: transaction_not_found. */
export async function getSession(context: Context, { reffNo }: GetSessionRequest) {
  const { history, link } = await findSession(context, reffNo);
  return {
    paymentLink: toPaymentLink(link),
    paymentLinkHistory: toHistory(history),
    merchantName: await shownMerchantName(context, link.order),
  };
}
