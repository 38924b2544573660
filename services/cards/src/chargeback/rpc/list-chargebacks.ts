import type { ListChargebacksRequest } from '@gerbang/proto/gerbang/cards/v1/chargebacks';
import { findPage, type Page, readPage } from '@gerbang/store';
import { CARD, type Context } from '../../context.ts';
import { storedStatusesOf, toChargebackMessage } from '../message.ts';
import { isChargebackKey, keyOfChargeback } from '../store.ts';

/** Chargebacks of an account, newest first. Refusals: validation (cursor), product_not_allowed, and those of the account. */
export async function listChargebacks(context: Context, request: ListChargebacksRequest) {
  const { merchantId, accountId, fromMs, toMs } = request;
  await context.merchants.admitProduct(merchantId, CARD);
  await context.merchants.account(merchantId, accountId);
  const query = {
    merchantId,
    accountId,
    statuses: storedStatusesOf(request.status),
    fromMs: fromMs === undefined ? undefined : Number(fromMs),
    toMs: toMs === undefined ? undefined : Number(toMs),
  };
  const find = (page: Page) => context.chargebacks.list({ ...query, ...page });
  const { items, nextCursor } = await findPage(readPage(request, isChargebackKey), find, keyOfChargeback);
  return { chargebacks: items.map(toChargebackMessage), nextCursor };
}
