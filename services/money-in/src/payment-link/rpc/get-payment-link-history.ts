import type { GetPaymentLinkHistoryRequest } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import type { Context } from '../../context.ts';
import { ownPayable } from '../../payable/create.ts';
import { PAYMENT_LINK_HISTORY } from '../../payable/product.ts';
import { toHistory } from '../message.ts';

/** Refusals: product_not_allowed, those of the account, transaction_not_found. */
export async function getPaymentLinkHistory(context: Context, { merchantId, accountId, id }: GetPaymentLinkHistoryRequest) {
  const found = await ownPayable(context, PAYMENT_LINK_HISTORY, { merchantId, accountId, publicId: String(id) });
  return { paymentLinkHistory: toHistory(found) };
}
