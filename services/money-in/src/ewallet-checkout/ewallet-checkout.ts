import { narrowTo } from '../payment-request/request.ts';

/** The kind and the product. */
export const EWALLET_CHECKOUT = 'ewallet-checkout';
/** The wallets' rail. */
export const EWALLET_RAIL = 'ewallet';

export type EwalletCheckoutDetails = {
  kind: typeof EWALLET_CHECKOUT;
  /** For instance "DANA". */
  channel: string;
  customerPhone: string;
  successRedirectUrl: string;
  /** Our page, from which the customer goes on. */
  checkoutUrl: string;
  /** The wallet's own page or app; undefined where it asks the customer by itself. */
  walletUrl: string | undefined;
};

export const asEwalletCheckout = narrowTo<EwalletCheckoutDetails>(EWALLET_CHECKOUT);

/** The e-wallet prefix of transaction ids (merchant-api.md) before the request's own ULID. */
export function checkoutId(requestId: string): string {
  return `88${requestId.slice(EWALLET_CHECKOUT.length + 1)}`;
}

/** The payment request that a transaction id names; undefined when it is none. */
export function requestOfCheckoutId(transactionId: string): string | undefined {
  return /^88[0-9A-HJKMNP-TV-Z]{26}$/.test(transactionId) ? `${EWALLET_CHECKOUT}:${transactionId.slice(2)}` : undefined;
}
