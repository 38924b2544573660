import type { GetVirtualAccountRequest } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import type { Context } from '../../context.ts';
import { ownRequest } from '../../payment-request/create.ts';
import { toVirtualAccount } from '../message.ts';
import { VIRTUAL_ACCOUNT } from '../virtual-account.ts';

/** Refusals: product_not_allowed, those of the account, transaction_not_found. */
export async function getVirtualAccount(context: Context, { merchantId, accountId, id }: GetVirtualAccountRequest) {
  const found = await ownRequest(context, VIRTUAL_ACCOUNT, { merchantId, accountId, publicId: id });
  return { virtualAccount: toVirtualAccount(found) };
}
