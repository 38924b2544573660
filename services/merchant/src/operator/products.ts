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
