import type { ListBindingsRequest } from '@gerbang/proto/gerbang/direct_debit/v1/direct_debit';
import { findPage, readPage } from '@gerbang/store';
import { type Context, DIRECT_DEBIT } from '../../context.ts';
import { STORED_BINDING_STATUSES, toBindingMessage } from '../message.ts';
import { isListKey, keyOfBinding } from '../store.ts';

/** Bindings of an account, newest first. Refusals: validation (cursor), product_not_allowed and those of the account. */
export async function listBindings(context: Context, request: ListBindingsRequest) {
  const { merchantId, accountId, status, customerId, fromMs, toMs } = request;
  await context.merchants.admitProduct(merchantId, DIRECT_DEBIT);
  await context.merchants.account(merchantId, accountId);
  const query = {
    merchantId,
    accountId,
    customerId,
    statuses: STORED_BINDING_STATUSES[status],
    fromMs: fromMs === undefined ? undefined : Number(fromMs),
    toMs: toMs === undefined ? undefined : Number(toMs),
  };
  const find = (page: { limit: number; before: string | undefined }) => context.bindings.list({ ...query, ...page });
  const { items, nextCursor } = await findPage(readPage(request, isListKey), find, keyOfBinding);
  return { bindings: items.map(toBindingMessage), nextCursor };
}
