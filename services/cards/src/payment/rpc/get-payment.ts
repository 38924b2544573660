import type { GetPaymentRequest } from '@gerbang/proto/gerbang/cards/v1/cards';
import { CARD, type Context } from '../../context.ts';
import { toPaymentMessage } from '../message.ts';
import { findOwnPayment } from '../own.ts';

/** Refusals: product_not_allowed, account_not_found, account_of_other_merchant, transaction_not_found. */
export async function getPayment(context: Context, { merchantId, accountId, id }: GetPaymentRequest) {
  await context.merchants.admitProduct(merchantId, CARD);
  await context.merchants.account(merchantId, accountId);
  return { payment: toPaymentMessage(await findOwnPayment(context, { merchantId, accountId, id })) };
}
