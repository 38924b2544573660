import type { FeeRule as FeeMessage, Limit as LimitMessage } from '@gerbang/proto/gerbang/merchant/v1/merchant';
import type { SetFeesRequest, SetLimitsRequest } from '@gerbang/proto/gerbang/merchant/v1/operator';
import type { Context } from '../context.ts';
import type { Thresholds } from './thresholds.ts';

type Fee = Pick<FeeMessage, 'fixedSen' | 'basisPoints' | 'minimumSen' | 'maximumSen' | 'vendorFixedSen' | 'vendorBasisPoints'>;

const NO_FEE: Fee = { fixedSen: 0n, basisPoints: 0, minimumSen: 0n, maximumSen: 0n, vendorFixedSen: 0n, vendorBasisPoints: 0 };

/**
 * Whether the fee differs by more than the thresholds, up or down, from the rule that it replaces, or from the product's rule for
 * all channels where it replaces none.
 */
export async function feeNeedsApproval(
  { merchants, thresholds }: Pick<Context, 'merchants' | 'thresholds'>,
  { merchantId, fee }: SetFeesRequest,
): Promise<boolean> {
  if (fee === undefined) return false;
  const rules = (await merchants.find(merchantId))?.merchant.fees.filter(({ product }) => product === fee.product) ?? [];
  const ofChannel = rules.filter(({ channel }) => channel === fee.channel);
  const replaced = ofChannel.find(({ effectiveFromMs }) => BigInt(effectiveFromMs) === fee.effectiveFromMs);
  const before = replaced ?? ofChannel.at(-1) ?? rules.find(({ channel }) => channel === '') ?? NO_FEE;
  return differs(before, fee, thresholds);
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
