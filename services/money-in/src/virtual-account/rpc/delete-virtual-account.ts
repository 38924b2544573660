import type { DeleteVirtualAccountRequest } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import type { Context } from '../../context.ts';
import { changePaymentRequest } from '../../payment-request/change.ts';
import { ownRequestToChange } from '../../payment-request/create.ts';
import { toVirtualAccount } from '../message.ts';
import { VIRTUAL_ACCOUNT } from '../virtual-account.ts';

/**
 * Ends a virtual account as inactive; one that has ended stays as it is. Refusals: product_not_allowed, those of the account,
 * frozen, transaction_not_found.
 */
export async function deleteVirtualAccount(context: Context, { merchantId, accountId, id }: DeleteVirtualAccountRequest) {
  const found = await ownRequestToChange(context, VIRTUAL_ACCOUNT, { merchantId, accountId, publicId: id });
  const { request: changed } = await changePaymentRequest(context, found, { type: 'delete' }, { event: 'deleted' });
  return { virtualAccount: toVirtualAccount(changed) };
}
