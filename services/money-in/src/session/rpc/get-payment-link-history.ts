import type { GetPaymentLinkHistoryRequest } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import type { Context } from '../../context.ts';
import { ownRequest } from '../../payment-request/create.ts';
import { toHistory } from '../message.ts';
import { SESSION } from '../session.ts';

/** Refusals: product_not_allowed, those of the account, transaction_not_found. */
export async function getPaymentLinkHistory(context: Context, { merchantId, accountId, id }: GetPaymentLinkHistoryRequest) {
  const found = await ownRequest(context, SESSION, { merchantId, accountId, publicId: String(id) });
  return { paymentLinkHistory: toHistory(found) };
}
