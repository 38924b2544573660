/** The rails that bring money in. */
export const MONEY_IN_RAILS = ['va', 'qris', 'ewallet', 'retail'] as const;
export type MoneyInRail = (typeof MONEY_IN_RAILS)[number];
