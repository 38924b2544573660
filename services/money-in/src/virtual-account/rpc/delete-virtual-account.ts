import type { DeleteVirtualAccountRequest } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import type { Context } from '../../context.ts';
import { changePayable } from '../../payable/change.ts';
import { ownPayableToChange } from '../../payable/create.ts';
import { VIRTUAL_ACCOUNT } from '../../payable/product.ts';
import { toVirtualAccount } from '../message.ts';

/** Ends a virtual account as inactive; one that has ended stays as it is. Refusals: product_not_allowed, those of the account, frozen, transaction_not_found. */
export async function deleteVirtualAccount(context: Context, { merchantId, accountId, id }: DeleteVirtualAccountRequest) {
  const found = await ownPayableToChange(context, VIRTUAL_ACCOUNT, { merchantId, accountId, publicId: id });
  return { virtualAccount: toVirtualAccount(await changePayable(context, found, { type: 'delete' }, { announced: 'deleted' })) };
}
