import { type FeeRule, feeRuleFor } from '@gerbang/core';
import type { Limit as LimitMessage } from '@gerbang/proto/gerbang/merchant/v1/merchant';
import type { SetFeesRequest, SetLimitsRequest } from '@gerbang/proto/gerbang/merchant/v1/operator';
import type { Context } from '../context.ts';
import { withFeeRule } from '../merchant/merchant.ts';
import type { Thresholds } from './thresholds.ts';

type Fee = Pick<FeeRule, 'fixedSen' | 'basisPoints' | 'minimumSen' | 'maximumSen' | 'vendorFixedSen' | 'vendorBasisPoints'>;

const NO_FEE: Fee = { fixedSen: 0n, basisPoints: 0, minimumSen: 0n, maximumSen: 0n, vendorFixedSen: 0n, vendorBasisPoints: 0 };

/**
 * Whether what a channel is charged would differ from what two operators have last agreed on by more than the thresholds, up or
 * down, at any time. So one operator cannot get further in small steps; and a rule that ends sooner, or one that is copied from
 * another time, counts as the change that it makes.
 */
export async function feeNeedsApproval(
  { merchants, thresholds }: Pick<Context, 'merchants' | 'thresholds'>,
  { merchantId, fee }: SetFeesRequest,
): Promise<boolean> {
  if (fee === undefined) return false;
  const merchant = (await merchants.find(merchantId))?.merchant;
  const { product, channel } = fee;
  const isOfProduct = (rule: FeeRule) => rule.product === product;
  const approved = (merchant?.approvedFees ?? []).filter(isOfProduct);
  const set = { ...fee, effectiveFromMs: Number(fee.effectiveFromMs), effectiveUntilMs: Number(fee.effectiveUntilMs) };
  const after = withFeeRule((merchant?.fees ?? []).filter(isOfProduct), set);
  const all = [...approved, ...after];
  // A rule of all channels also applies to those that have a rule of their own, when that is over.
  const channels = new Set(channel === '' ? all.map((rule) => rule.channel) : [channel]);
  // Between two of these moments nothing changes.
  const moments = new Set(all.flatMap(({ effectiveFromMs, effectiveUntilMs }) => [effectiveFromMs, effectiveUntilMs]));
  return [...channels].some((one) =>
    [...moments].some((nowMs) => {
      const at = { product, channel: one, nowMs };
      return differs(feeRuleFor(approved, at) ?? NO_FEE, feeRuleFor(after, at) ?? NO_FEE, thresholds);
    }),
  );
}

function differs(before: Fee, after: Fee, { feeSen, feeBasisPoints }: Thresholds): boolean {
  const amounts = ['fixedSen', 'minimumSen', 'maximumSen', 'vendorFixedSen'] as const;
  const percentages = ['basisPoints', 'vendorBasisPoints'] as const;
  return (
    amounts.some((name) => distance(before[name], after[name]) > feeSen) ||
    percentages.some((name) => Math.abs(before[name] - after[name]) > feeBasisPoints)
  );
}

function distance(one: bigint, other: bigint): bigint {
  return one > other ? one - other : other - one;
}

type Limit = Pick<LimitMessage, 'maximumSen' | 'dailyMaximumSen' | 'monthlyMaximumSen'>;

/** Whether a bound is removed, or raised above the threshold. A product without bounds gets its first ones from one operator. */
export async function limitNeedsApproval(
  { merchants, thresholds }: Pick<Context, 'merchants' | 'thresholds'>,
  { merchantId, limit }: SetLimitsRequest,
): Promise<boolean> {
  if (limit === undefined) return false;
  const stored = await merchants.find(merchantId);
  const before = stored?.merchant.limits.find(({ product }) => product === limit.product);
  return before !== undefined && loosens(before, limit, thresholds);
}

function loosens(before: Limit, after: Limit, { limitSen }: Thresholds): boolean {
  return (['maximumSen', 'dailyMaximumSen', 'monthlyMaximumSen'] as const).some((name) => {
    if (before[name] === 0n) return false;
    return after[name] === 0n || (after[name] > before[name] && after[name] > limitSen);
  });
}
