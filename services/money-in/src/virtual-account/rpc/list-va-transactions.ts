import type { ListVaTransactionsRequest } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import { findPage } from '@gerbang/store';
import type { Context } from '../../context.ts';
import { readListQuery } from '../../payment-request/list.ts';
import { toVaTransaction } from '../message.ts';
import { VIRTUAL_ACCOUNT } from '../virtual-account.ts';

/**
 * Payments of the account's virtual accounts, or of one of them, newest first. Refusals: product_not_allowed, those of the
 * account, validation (cursor).
 */
export async function listVaTransactions(context: Context, { query, virtualAccountId }: ListVaTransactionsRequest) {
  const { page, asked } = await readListQuery(context, VIRTUAL_ACCOUNT, query);
  const wanted = { ...asked, product: VIRTUAL_ACCOUNT, numberId: virtualAccountId === '' ? undefined : virtualAccountId };
  const { items, nextCursor } = await findPage(
    page,
    (some) => context.payments.list({ ...wanted, ...some }),
    ({ order }) => order.publicId,
  );
  return { vaTransactions: items.map(toVaTransaction), nextCursor };
}
