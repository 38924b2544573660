/** The products whose payments are counted by day and month. */
export const COUNTED_PRODUCTS: readonly string[] = [
  'disbursement',
  'qris-issuer',
  'ewallet-topup',
  'cardless-withdrawal',
  'account-transfer',
];

/** The products whose payments are counted by day only: of direct debit what is charged to each binding. */
export const COUNTED_BY_DAY: readonly string[] = ['direct-debit'];

/** The products that a merchant can have. */
export const PRODUCTS = [
  'disbursement',
  'qris-issuer',
  'ewallet-topup',
  'cardless-withdrawal',
  'account-transfer',
  'virtual-account',
  'qris',
  'payment-link',
  'ewallet-checkout',
  'retail',
  'card',
  'subscription',
  'direct-debit',
  'biller',
] as const;
