import { RefusalError, refuse } from '@gerbang/core';
import type { GetAccountTransferRequest } from '@gerbang/proto/gerbang/money_out/v1/money_out';
import type { Context } from '../../context.ts';
import { ACCOUNT_TRANSFER } from '../account-transfer.ts';
import { toMessage } from '../message.ts';

/** One of the merchant's account transfers. Refusals: product_not_allowed, transaction_not_found. */
export async function getAccountTransfer(context: Context, { merchantId, transactionId }: GetAccountTransferRequest) {
  await context.merchants.admitProduct(merchantId, ACCOUNT_TRANSFER);
  const found = await context.accountTransfers.findByTransactionId(merchantId, transactionId);
  if (found === undefined) throw new RefusalError(refuse('transaction_not_found'));
  return { accountTransfer: toMessage(found) };
}
