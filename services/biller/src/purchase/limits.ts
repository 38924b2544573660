import type { Limit } from '@gerbang/proto/gerbang/merchant/v1/merchant';

/** Whether the amount is within what operators have set for a payment of the product. */
export function isWithin(limits: readonly Limit[], product: string, amountSen: bigint): boolean {
  return limits
    .filter((limit) => limit.product === product)
    .every(({ minimumSen, maximumSen }) => amountSen >= minimumSen && (maximumSen === 0n || amountSen <= maximumSen));
}
