import type { Kind } from '../payment-request/kind.ts';
import { narrowTo } from '../payment-request/request.ts';
import { asEwalletCheckout, EWALLET_CHECKOUT, type EwalletCheckoutDetails } from './ewallet-checkout.ts';

/** The details as they are stored. */
type EwalletCheckoutDocument = {
  kind: typeof EWALLET_CHECKOUT;
  channel: string;
  customer_phone: string;
  success_redirect_url: string;
  checkout_url: string;
  wallet_url?: string;
};

const asStored = narrowTo<EwalletCheckoutDocument>(EWALLET_CHECKOUT);

export const codec: Kind['codec'] = {
  toDocument(details): EwalletCheckoutDocument {
    const { kind, channel, customerPhone, successRedirectUrl, checkoutUrl, walletUrl } = asEwalletCheckout(details);
    return {
      kind,
      channel,
      customer_phone: customerPhone,
      success_redirect_url: successRedirectUrl,
      checkout_url: checkoutUrl,
      ...(walletUrl !== undefined && { wallet_url: walletUrl }),
    };
  },
  fromDocument(document): EwalletCheckoutDetails {
    const { kind, channel, customer_phone, success_redirect_url, checkout_url, wallet_url } = asStored(document);
    return {
      kind,
      channel,
      customerPhone: customer_phone,
      successRedirectUrl: success_redirect_url,
      checkoutUrl: checkout_url,
      walletUrl: wallet_url,
    };
  },
};
