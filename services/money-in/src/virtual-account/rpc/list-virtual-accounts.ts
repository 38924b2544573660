import type { ListVirtualAccountsRequest } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import type { Context } from '../../context.ts';
import { listPayables } from '../../payable/list.ts';
import { VIRTUAL_ACCOUNT } from '../../payable/product.ts';
import { toVirtualAccount } from '../message.ts';

/** Newest first. Refusals: product_not_allowed, those of the account, validation (cursor). */
export async function listVirtualAccounts(context: Context, { query, status }: ListVirtualAccountsRequest) {
  const { page, nextCursor } = await listPayables(context, VIRTUAL_ACCOUNT, query, status);
  return { virtualAccounts: page.map(toVirtualAccount), nextCursor };
}
