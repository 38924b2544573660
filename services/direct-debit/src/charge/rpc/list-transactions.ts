import type { ListTransactionsRequest } from '@gerbang/proto/gerbang/direct_debit/v1/direct_debit';
import { findPage, readPage } from '@gerbang/store';
import { isListKey } from '../../binding/store.ts';
import { type Context, DIRECT_DEBIT } from '../../context.ts';
import { storedStatuses, toTransactionMessage } from '../message.ts';
import { keyOfCharge } from '../store.ts';

/** Charges of an account, newest first. Refusals: validation (cursor), product_not_allowed and those of the account. */
export async function listTransactions(context: Context, request: ListTransactionsRequest) {
  const { merchantId, accountId, status, referenceNumber, bindingId, fromMs, toMs } = request;
  await context.merchants.admitProduct(merchantId, DIRECT_DEBIT);
  await context.merchants.account(merchantId, accountId);
  const query = {
    merchantId,
    accountId,
    statuses: storedStatuses(status),
    referenceNumber,
    bindingId,
    fromMs: fromMs === undefined ? undefined : Number(fromMs),
    toMs: toMs === undefined ? undefined : Number(toMs),
  };
  const find = (page: { limit: number; before: string | undefined }) => context.charges.list({ ...query, ...page });
  const { items, nextCursor } = await findPage(readPage(request, isListKey), find, keyOfCharge);
  return { transactions: items.map(toTransactionMessage), nextCursor };
}
