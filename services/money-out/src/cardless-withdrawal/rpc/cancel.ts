import { RefusalError, refuse } from '@gerbang/core';
import type { CancelCardlessWithdrawalRequest } from '@gerbang/proto/gerbang/money_out/v1/cardless_withdrawal';
import type { Context } from '../../context.ts';
import { cancelOrder } from '../../transfer/cancel.ts';
import { toMessage } from '../../transfer/message.ts';
import { getTransfer } from '../../transfer/read.ts';

/**
 * Asks the bank to cancel a withdrawal; gives what it has become within 3 s. Refusals: product_not_allowed, those of the account,
 * frozen, transaction_not_found.
 */
export async function cancelCardlessWithdrawal(
  context: Context,
  { merchantId, accountId, transactionId }: CancelCardlessWithdrawalRequest,
) {
  const product = context.products.cardlessWithdrawal;
  await context.merchants.admit(merchantId, product.name, accountId);
  const by = { case: 'transactionId', value: transactionId } as const;
  const found = await getTransfer(context, product, { merchantId, accountId, by });
  const after = await cancelOrder(context, found);
  if (after === undefined) throw new RefusalError(refuse('transaction_not_found'));
  return { transfer: toMessage(after) };
}
