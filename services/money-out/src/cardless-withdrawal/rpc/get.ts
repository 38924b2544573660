import type { GetCardlessWithdrawalRequest } from '@gerbang/proto/gerbang/money_out/v1/cardless_withdrawal';
import type { Context } from '../../context.ts';
import { toMessage } from '../../transfer/message.ts';
import { getTransfer } from '../../transfer/read.ts';

/**
 * One withdrawal, with its code while that can be used. Refusals: product_not_allowed, those of the account,
 * transaction_not_found.
 */
export async function getCardlessWithdrawal(
  context: Context,
  { merchantId, accountId, transactionId }: GetCardlessWithdrawalRequest,
) {
  const product = context.products.cardlessWithdrawal;
  const by = { case: 'transactionId', value: transactionId } as const;
  const found = await getTransfer(context, product, { merchantId, accountId, by });
  return { transfer: toMessage(found), withdrawalCode: await product.codeOf(found.state) };
}
