/** The products that pay money out, by the names that merchants' permissions, fees, limits and statements have. */
export const MONEY_OUT_PRODUCTS = [
  'disbursement',
  'qris-issuer',
  'ewallet-topup',
  'cardless-withdrawal',
  'account-transfer',
] as const;

/** The rails that pay money out, as the names of their variables have them (`RAIL_BANK_TRANSFER_URL`). */
export const MONEY_OUT_RAILS = ['BANK_TRANSFER', 'EWALLET_TOPUP', 'CARDLESS', 'QRIS_ISSUER'] as const;

/** Every product that a merchant can have. */
export const PRODUCTS = [
  ...MONEY_OUT_PRODUCTS,
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

/**
 * The rails that call us (contract §11), by the names that the file of rail partners has: `bank-transfer` and `cardless` report
 * on money out, the others bring money in.
 */
export const CALLING_RAILS = ['va', 'qris', 'ewallet', 'retail', 'bank-transfer', 'cardless', 'direct-debit', 'card'] as const;
export type CallingRail = (typeof CALLING_RAILS)[number];
