import { jakartaDay } from '@gerbang/core';
import type { Limit } from '@gerbang/proto/gerbang/merchant/v1/merchant';

/** What a merchant may order of a product within a business day and a business month, Asia/Jakarta, sen; 0 is no bound. */
export type Quota = { dailySen: bigint; monthlySen: bigint };

/** An order that counts; `id` is that of its document. */
export type Reservation = { id: string; transactionId: string; day: string; amountSen: bigint };

/**
 * What a merchant has ordered of a product in a month: the sums of its days, YYYYMMDD. Orders whose outcome this has not taken
 * notice of yet are `open`: they are in the sums, and those that turn out not to be paid are taken out again.
 */
export type Spending = { days: Readonly<Record<string, bigint>>; open: readonly Reservation[] };

export const NOTHING_SPENT: Spending = { days: {}, open: [] };

/** The quota that operators have set for the product; undefined where they have set none. */
export function quotaOf(limits: readonly Limit[], product: string): Quota | undefined {
  const limit = limits.find((one) => one.product === product);
  if (limit === undefined || (limit.dailyMaximumSen === 0n && limit.monthlyMaximumSen === 0n)) return undefined;
  return { dailySen: limit.dailyMaximumSen, monthlySen: limit.monthlyMaximumSen };
}

/** The business day of an order, YYYYMMDD; its first six digits are the month. */
export function businessDay(createdAtMs: number): string {
  return jakartaDay(createdAtMs);
}

/** What bounds an order: the bounds of a single one, of its business day, or of its business month. */
export type LimitPeriod = 'transaction' | 'day' | 'month';

/** Which bound an order exceeds, the day's first; undefined where it fits into what is left. */
export function exceeded(
  spending: Spending,
  { day, amountSen }: Reservation,
  { dailySen, monthlySen }: Quota,
): Exclude<LimitPeriod, 'transaction'> | undefined {
  if (dailySen !== 0n && spentOn(spending, day) + amountSen > dailySen) return 'day';
  return monthlySen !== 0n && spentIn(spending) + amountSen > monthlySen ? 'month' : undefined;
}

/** What counts of a day, sen. */
export function spentOn({ days }: Spending, day: string): bigint {
  return days[day] ?? 0n;
}

/** What counts of the whole month, sen. */
export function spentIn({ days }: Spending): bigint {
  return Object.values(days).reduce((sum, sen) => sum + sen, 0n);
}

/** Counts the order. */
export function reserve({ days, open }: Spending, order: Reservation): Spending {
  return { days: { ...days, [order.day]: (days[order.day] ?? 0n) + order.amountSen }, open: [...open, order] };
}

/** What has become of an open order: it counts for good, it does not count, or that is not known yet. */
export type Outcome = 'counts' | 'does-not-count' | 'open';

/**
 * Takes notice of what has become of the first open orders; those that stay open come last, so that all get their turn. The very
 * same where all are open still.
 */
export function settle(spending: Spending, outcomes: readonly Outcome[]): Spending {
  const { days, open } = spending;
  if (outcomes.length >= open.length && outcomes.every((outcome) => outcome === 'open')) return spending;
  const left = { ...days };
  for (const [index, outcome] of outcomes.entries()) {
    const order = open[index];
    if (order !== undefined && outcome === 'does-not-count') left[order.day] = (left[order.day] ?? 0n) - order.amountSen;
  }
  const stillOpen = open.filter((_, index) => outcomes[index] === 'open');
  return { days: left, open: [...open.slice(outcomes.length), ...stillOpen] };
}
