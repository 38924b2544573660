import { RefusalError, refuseField } from '@gerbang/core';
import type { ListQuery, PayableStatus as WireStatus } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import { findPage, readPage } from '@gerbang/store';
import type { Context } from '../context.ts';
import type { StoredPaymentRequest } from './document.ts';
import { fromWireStatus } from './message.ts';

/**
 * A page of the merchant's payment requests, newest first. Refusals: product_not_allowed, those of the account, validation
 * (cursor).
 */
export async function listPaymentRequests(
  context: Pick<Context, 'paymentRequests' | 'kinds' | 'merchants'>,
  kind: string,
  query: ListQuery | undefined,
  status: WireStatus,
  parentId?: string,
): Promise<{ items: StoredPaymentRequest[]; nextCursor: string }> {
  const { page, asked } = await readListQuery(context, context.kinds.of(kind).product, query);
  const wanted = { ...asked, kind, status: fromWireStatus(status), parentId };
  return findPage(
    page,
    (some) => context.paymentRequests.list({ ...wanted, ...some }),
    ({ order }) => order.publicId,
  );
}

/** What every list asks for, checked. Refusals: product_not_allowed, those of the account, validation (cursor). */
export async function readListQuery(context: Pick<Context, 'merchants'>, product: string, query: ListQuery | undefined) {
  if (query === undefined) throw new RefusalError(refuseField('query', 'is required'));
  const { merchantId, accountId, merchantReffNo, fromMs, toMs } = query;
  const page = readPage(query);
  await context.merchants.admitProduct(merchantId, product);
  await context.merchants.account(merchantId, accountId);
  const asked = {
    merchantId,
    accountId,
    merchantReffNo: merchantReffNo === '' ? undefined : merchantReffNo,
    fromMs: fromMs === undefined ? undefined : Number(fromMs),
    toMs: toMs === undefined ? undefined : Number(toMs),
  };
  return { page, asked };
}
