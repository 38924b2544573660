import type { ListVaTransactionsRequest } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import type { Context } from '../../context.ts';
import { readListQuery, toPage } from '../../payable/list.ts';
import { VIRTUAL_ACCOUNT } from '../../payable/product.ts';
import { toVaTransaction } from '../message.ts';

/** Payments of the account's virtual accounts, or of one of them, newest first. Refusals: product_not_allowed, those of the account, validation (cursor). */
export async function listVaTransactions(context: Context, { query, virtualAccountId }: ListVaTransactionsRequest) {
  const { limit, ...asked } = await readListQuery(context, VIRTUAL_ACCOUNT, query);
  const found = await context.payments.list({
    ...asked,
    product: VIRTUAL_ACCOUNT,
    limit: limit + 1,
    virtualAccountId: virtualAccountId === '' ? undefined : virtualAccountId,
  });
  const { page, nextCursor } = toPage(found, limit, (payment) => payment.order.publicId);
  return { vaTransactions: page.map(toVaTransaction), nextCursor };
}
