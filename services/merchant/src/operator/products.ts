/** The products whose payments are counted by day and month. */
export const COUNTED_PRODUCTS: readonly string[] = [
  'disbursement',
  'qris-issuer',
  'ewallet-topup',
  'cardless-withdrawal',
  'account-transfer',
];

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
