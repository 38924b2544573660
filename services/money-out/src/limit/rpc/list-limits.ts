import type { Limit } from '@gerbang/proto/gerbang/merchant/v1/merchant';
import type { ListLimitsRequest } from '@gerbang/proto/gerbang/money_out/v1/money_out';
import type { Context } from '../../context.ts';
import { businessDay, NOTHING_SPENT, quotaOf, spentIn, spentOn } from '../../transfer/quota.ts';

/** What operators have bounded for a merchant, and how much of it is used now. Refusals: merchant_not_found. */
export async function listLimits(context: Context, { merchantId }: ListLimitsRequest) {
  const { limits } = await context.merchants.profile(merchantId);
  const sorted = [...limits].sort((one, other) => (one.product < other.product ? -1 : 1));
  return { limits: await Promise.all(sorted.map((limit) => withUse(context, merchantId, limit))) };
}

async function withUse({ transfers, clock }: Context, merchantId: string, limit: Limit) {
  const { product, minimumSen, maximumSen, dailyMaximumSen, monthlyMaximumSen } = limit;
  const day = businessDay(clock.now());
  const isCounted = quotaOf([limit], product) !== undefined;
  const spending = isCounted ? await transfers.spendings.show(merchantId, product, day.slice(0, 6)) : NOTHING_SPENT;
  const bounds = { product, minimumSen, maximumSen, dailyMaximumSen, monthlyMaximumSen };
  return { ...bounds, usedTodaySen: spentOn(spending, day), usedThisMonthSen: spentIn(spending) };
}
