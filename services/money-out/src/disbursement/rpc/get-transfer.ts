import { RefusalError, refuse } from '@gerbang/core';
import type { GetTransferRequest } from '@gerbang/proto/gerbang/money_out/v1/money_out';
import type { Context } from '../../context.ts';
import { toMessage } from '../../transfer/message.ts';
import { DISBURSEMENT } from '../../transfer/reference.ts';

/** One transfer by reference number or transaction id. Refusals: product_not_allowed, those of the account, transaction_not_found. */
export async function getTransfer(context: Context, request: GetTransferRequest) {
  await context.merchants.admitProduct(request.merchantId, DISBURSEMENT);
  await context.merchants.account(request.merchantId, request.accountId);
  const found = await find(context, request);
  if (found === undefined || found.order.merchantId !== request.merchantId)
    throw new RefusalError(refuse('transaction_not_found'));
  return { transfer: toMessage(found.order, found.state) };
}

function find(context: Context, { accountId, by }: GetTransferRequest) {
  switch (by.case) {
    case 'referenceNumber':
      return context.transfers.find(accountId, by.value);
    case 'transactionId':
      return context.transfers.findByTransactionId(accountId, by.value);
    case undefined:
      throw new RefusalError(refuse('bad_request', { message: 'reference_number or transaction_id is missing' }));
    default:
      return by satisfies never;
  }
}
