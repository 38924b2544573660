import type { FeeRule } from '@gerbang/core';
import type { Profile } from '@gerbang/proto/gerbang/merchant/v1/merchant';

/** A merchant's fee schedule as the fee engine takes it. */
export function feeRulesOf({ fees }: Profile): FeeRule[] {
  return fees.map((fee) => ({
    product: fee.product,
    channel: fee.channel,
    fixedSen: fee.fixedSen,
    basisPoints: fee.basisPoints,
    minimumSen: fee.minimumSen,
    maximumSen: fee.maximumSen,
    vendorFixedSen: fee.vendorFixedSen,
    vendorBasisPoints: fee.vendorBasisPoints,
    effectiveFromMs: Number(fee.effectiveFromMs),
    effectiveUntilMs: Number(fee.effectiveUntilMs),
  }));
}
