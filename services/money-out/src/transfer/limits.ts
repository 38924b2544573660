import type { Limit } from '@gerbang/proto/gerbang/merchant/v1/merchant';

/** Whether the amount is within what operators have set for the product. */
export function isWithin(limits: readonly Limit[], product: string, amountSen: bigint): boolean {
  return limits.every(
    (limit) =>
      limit.product !== product || (amountSen >= limit.minimumSen && (limit.maximumSen === 0n || amountSen <= limit.maximumSen)),
  );
}
