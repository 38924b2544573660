import { RefusalError, refuseField } from '@gerbang/core';
import type { ListQuery, PayableStatus as WireStatus } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import { decodeCursor, encodeCursor } from '@gerbang/store';
import type { Context } from '../context.ts';
import { fromWireStatus } from './figures.ts';
import { type Kind, productOf } from './product.ts';
import type { StoredPayable } from './stored-payable.ts';

const LIMIT_MAX = 100;

/** A page of the merchant's payables, newest first. Refusals: product_not_allowed, those of the account, validation (cursor). */
export async function listPayables(
  context: Pick<Context, 'payables' | 'merchants'>,
  kind: Kind,
  query: ListQuery | undefined,
  status: WireStatus,
  link?: string,
): Promise<{ page: StoredPayable[]; nextCursor: string }> {
  const { limit, before, ...asked } = await readListQuery(context, productOf(kind), query);
  const found = await context.payables.list({ ...asked, kind, limit: limit + 1, before, status: fromWireStatus(status), link });
  return toPage(found, limit, (payable) => payable.order.publicId);
}

/** What every list asks for, checked. Refusals: product_not_allowed, those of the account, validation (cursor). */
export async function readListQuery(context: Pick<Context, 'merchants'>, product: string, query: ListQuery | undefined) {
  if (query === undefined) throw new RefusalError(refuseField('query', 'is required'));
  const { merchantId, accountId, cursor, merchantReffNo, fromMs, toMs } = query;
  const before = cursor === '' ? undefined : decodeCursor(cursor);
  if (cursor !== '' && before === undefined) throw new RefusalError(refuseField('cursor', 'is not a cursor of this list'));
  await context.merchants.admitProduct(merchantId, product);
  await context.merchants.account(merchantId, accountId);
  return {
    merchantId,
    accountId,
    limit: Math.min(Math.max(query.limit, 1), LIMIT_MAX),
    before,
    merchantReffNo: merchantReffNo === '' ? undefined : merchantReffNo,
    fromMs: fromMs === undefined ? undefined : Number(fromMs),
    toMs: toMs === undefined ? undefined : Number(toMs),
  };
}

/** One more than the limit was asked for, to know whether there are more. */
export function toPage<T>(found: T[], limit: number, keyOf: (item: T) => string): { page: T[]; nextCursor: string } {
  const page = found.slice(0, limit);
  const last = page.at(-1);
  return { page, nextCursor: found.length > limit && last !== undefined ? encodeCursor(keyOf(last)) : '' };
}
