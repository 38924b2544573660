import type { GetRetailTransactionRequest } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import type { Context } from '../../context.ts';
import { ownRequest } from '../../payment-request/create.ts';
import { mustHaveRetail } from '../access.ts';
import { toRetailTransaction } from '../message.ts';
import { RETAIL } from '../retail.ts';

/** Refusals: validation (a merchant without the product), those of the account, transaction_not_found. */
export async function getRetailTransaction(
  context: Context,
  { merchantId, accountId, transactionId }: GetRetailTransactionRequest,
) {
  await mustHaveRetail(context, merchantId);
  const found = await ownRequest(context, RETAIL, { merchantId, accountId, publicId: transactionId });
  return { retailTransaction: toRetailTransaction(found) };
}
