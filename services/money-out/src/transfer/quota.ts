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

/** Whether the order fits into what is left of the day and of the month. */
export function fits({ days }: Spending, { day, amountSen }: Reservation, { dailySen, monthlySen }: Quota): boolean {
  const ofDay = (days[day] ?? 0n) + amountSen;
  const ofMonth = Object.values(days).reduce((sum, sen) => sum + sen, amountSen);
  return (dailySen === 0n || ofDay <= dailySen) && (monthlySen === 0n || ofMonth <= monthlySen);
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
