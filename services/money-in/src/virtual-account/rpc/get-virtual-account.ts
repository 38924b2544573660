import type { GetVirtualAccountRequest } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import type { Context } from '../../context.ts';
import { ownPayable } from '../../payable/create.ts';
import { VIRTUAL_ACCOUNT } from '../../payable/product.ts';
import { toVirtualAccount } from '../message.ts';

/** Refusals: product_not_allowed, those of the account, transaction_not_found. */
export async function getVirtualAccount(context: Context, { merchantId, accountId, id }: GetVirtualAccountRequest) {
  const found = await ownPayable(context, VIRTUAL_ACCOUNT, { merchantId, accountId, publicId: id });
  return { virtualAccount: toVirtualAccount(found) };
}
