import type { ListVirtualAccountsRequest } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import type { Context } from '../../context.ts';
import { listPaymentRequests } from '../../payment-request/list.ts';
import { toVirtualAccount } from '../message.ts';
import { VIRTUAL_ACCOUNT } from '../virtual-account.ts';

/** Newest first. Refusals: product_not_allowed, those of the account, validation (cursor). */
export async function listVirtualAccounts(context: Context, { query, status }: ListVirtualAccountsRequest) {
  const { items, nextCursor } = await listPaymentRequests(context, VIRTUAL_ACCOUNT, query, status);
  return { virtualAccounts: items.map(toVirtualAccount), nextCursor };
}
