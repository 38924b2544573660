import type { GetPaymentLinkRequest } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import type { Context } from '../../context.ts';
import { ownRequest } from '../../payment-request/create.ts';
import { toPaymentLink } from '../message.ts';
import { PAYMENT_LINK } from '../payment-link.ts';

/** Refusals: product_not_allowed, those of the account, transaction_not_found. */
export async function getPaymentLink(context: Context, { merchantId, accountId, id }: GetPaymentLinkRequest) {
  return { paymentLink: toPaymentLink(await ownRequest(context, PAYMENT_LINK, { merchantId, accountId, publicId: String(id) })) };
}
