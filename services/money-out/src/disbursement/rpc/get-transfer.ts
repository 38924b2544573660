import type { GetTransferRequest } from '@gerbang/proto/gerbang/money_out/v1/money_out';
import type { Context } from '../../context.ts';
import { toMessage } from '../../transfer/message.ts';
import { getTransfer as get } from '../../transfer/read.ts';

/**
 * One disbursement by reference number or transaction id. Refusals: product_not_allowed, those of the account,
 * transaction_not_found.
 */
export async function getTransfer(context: Context, request: GetTransferRequest) {
  return { transfer: toMessage(await get(context, context.products.disbursement, request)) };
}
