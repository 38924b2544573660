import { RefusalError, refuse } from '@gerbang/core';
import type { GetChargebackRequest } from '@gerbang/proto/gerbang/cards/v1/chargebacks';
import { CARD, type Context } from '../../context.ts';
import { toChargebackMessage } from '../message.ts';
import { mustFindChargeback } from '../own.ts';

/** Refusals: product_not_allowed, account_not_found, account_of_other_merchant, transaction_not_found. */
export async function getChargeback(context: Context, { merchantId, accountId, id }: GetChargebackRequest) {
  await context.merchants.admitProduct(merchantId, CARD);
  await context.merchants.account(merchantId, accountId);
  const found = await mustFindChargeback(context, id);
  if (found.order.merchantId !== merchantId || found.order.accountId !== accountId)
    throw new RefusalError(refuse('transaction_not_found'));
  return { chargeback: toChargebackMessage(found) };
}
