import type { FeeRule } from '@gerbang/core';

/** A line of the fee schedule as other programs get it. */
export function toFeeMessage(fee: FeeRule) {
  return { ...fee, effectiveFromMs: BigInt(fee.effectiveFromMs), effectiveUntilMs: BigInt(fee.effectiveUntilMs) };
}
