import { formatSen } from '@gerbang/core';

/** The amounts that a merchant may ask for, sen. */
export type Bounds = { minSen: bigint; maxSen: bigint };

/** What operators have set for a product; a maximum of 0 is none of their own. */
export type OwnLimit = { product: string; minimumSen: bigint; maximumSen: bigint };

/** The merchant's own limits where operators have set some, else the product's. */
export function boundsFor(limits: readonly OwnLimit[], product: string, standard: Bounds): Bounds {
  const own = limits.find((limit) => limit.product === product);
  if (own === undefined) return standard;
  return { minSen: own.minimumSen, maxSen: own.maximumSen === 0n ? standard.maxSen : own.maximumSen };
}

/** What is wrong with an amount, naming the allowed bound (merchant-api.md, retail outlet); undefined where it is within. */
export function beyond({ minSen, maxSen }: Bounds, amountSen: bigint): string | undefined {
  if (amountSen < minSen) return `must be at least ${formatSen(minSen)}`;
  return amountSen > maxSen ? `must be at most ${formatSen(maxSen)}` : undefined;
}
