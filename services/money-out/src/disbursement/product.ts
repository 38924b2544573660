import type { FeeRule } from '@gerbang/core';
import type { FeeRule as FeeRuleMessage } from '@gerbang/proto/gerbang/merchant/v1/merchant';

export { DISBURSEMENT } from '../transfer/reference.ts';

/** A merchant's fee schedule as the fee engine takes it. */
export function toFeeRules(fees: readonly FeeRuleMessage[]): FeeRule[] {
  return fees.map((fee) => ({
    product: fee.product,
    channel: fee.channel,
    fixedSen: fee.fixedSen,
    basisPoints: fee.basisPoints,
    minimumSen: fee.minimumSen,
    maximumSen: fee.maximumSen,
    effectiveFromMs: Number(fee.effectiveFromMs),
  }));
}
