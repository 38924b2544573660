import type { ListPlansRequest } from '@gerbang/proto/gerbang/cards/v1/plans';
import { findPage, type Page, readPage } from '@gerbang/store';
import { CARD, type Context } from '../../context.ts';
import { storedStatusOf } from '../message.ts';
import { shownPlan } from '../own-card.ts';
import { isPlanKey, keyOfPlan } from '../store.ts';

/** Plans of an account, newest first. Refusals: validation (cursor), product_not_allowed, and those of the account. */
export async function listPlans(context: Context, request: ListPlansRequest) {
  const { merchantId, accountId, fromMs, toMs } = request;
  await context.merchants.admitProduct(merchantId, CARD);
  await context.merchants.account(merchantId, accountId);
  const query = {
    merchantId,
    accountId,
    status: storedStatusOf(request.status),
    fromMs: fromMs === undefined ? undefined : Number(fromMs),
    toMs: toMs === undefined ? undefined : Number(toMs),
  };
  const find = (page: Page) => context.plans.list({ ...query, ...page });
  const { items, nextCursor } = await findPage(readPage(request, isPlanKey), find, keyOfPlan);
  const plans = await Promise.all(items.map(async (plan) => (await shownPlan(context, plan)).plan));
  return { plans, nextCursor };
}
