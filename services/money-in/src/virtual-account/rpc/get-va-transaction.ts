import { RefusalError, refuse } from '@gerbang/core';
import type { GetVaTransactionRequest } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import type { Context } from '../../context.ts';
import { toVaTransaction } from '../message.ts';
import { VIRTUAL_ACCOUNT } from '../virtual-account.ts';

/** One payment of a virtual account. Refusals: product_not_allowed, those of the account, transaction_not_found. */
export async function getVaTransaction(context: Context, { merchantId, accountId, id }: GetVaTransactionRequest) {
  await context.merchants.admitProduct(merchantId, VIRTUAL_ACCOUNT);
  await context.merchants.account(merchantId, accountId);
  const found = await context.payments.findByPublicId(VIRTUAL_ACCOUNT, accountId, id);
  const isVisible = found?.state.status === 'paid' || found?.state.status === 'settled';
  if (found === undefined || !isVisible || found.order.paidNumber === undefined || found.order.merchantId !== merchantId)
    throw new RefusalError(refuse('transaction_not_found'));
  return { vaTransaction: toVaTransaction(found) };
}
