import type { GetEwalletCheckoutRequest } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import type { Context } from '../../context.ts';
import { ownRequest } from '../../payment-request/create.ts';
import { EWALLET_CHECKOUT } from '../ewallet-checkout.ts';
import { toEwalletCheckout } from '../message.ts';

/** Refusals: product_not_allowed, those of the account, transaction_not_found. */
export async function getEwalletCheckout(context: Context, { merchantId, accountId, transactionId }: GetEwalletCheckoutRequest) {
  const found = await ownRequest(context, EWALLET_CHECKOUT, { merchantId, accountId, publicId: transactionId });
  return { ewalletCheckout: toEwalletCheckout(found) };
}
