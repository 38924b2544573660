import type { GetPlanRequest } from '@gerbang/proto/gerbang/cards/v1/plans';
import { CARD, type Context } from '../../context.ts';
import { findOwnPlan } from '../change.ts';
import { shownPlan } from '../own-card.ts';

/** Refusals: product_not_allowed, account_not_found, account_of_other_merchant, transaction_not_found. */
export async function getPlan(context: Context, { merchantId, accountId, planId }: GetPlanRequest) {
  await context.merchants.admitProduct(merchantId, CARD);
  await context.merchants.account(merchantId, accountId);
  const { plan } = await shownPlan(context, await findOwnPlan(context, { merchantId, accountId, planId }));
  return { plan };
}
