import type { Kind } from '../payment-request/kind.ts';
import { codec } from './document.ts';
import { asEwalletCheckout, EWALLET_CHECKOUT, EWALLET_RAIL, requestOfCheckoutId } from './ewallet-checkout.ts';
import { ewalletCheckoutPayload } from './message.ts';
import { walletMethod } from './method.ts';
import { walletRail } from './rail.ts';

/** Payments that customers confirm in a wallet's app. */
export const ewalletCheckout: Kind = {
  name: EWALLET_CHECKOUT,
  product: EWALLET_CHECKOUT,
  events: {
    paid: 'ewallet-checkout.paid',
    failed: 'ewallet-checkout.failed',
    expired: 'ewallet-checkout.expired',
    reversed: 'ewallet-checkout.reversed',
  },
  codec,
  rail: walletRail,
  method: walletMethod,
  eventPayload: ewalletCheckoutPayload,
  chargedAs: ({ details }) => ({ product: EWALLET_CHECKOUT, channel: asEwalletCheckout(details).channel }),
  idOfReference: (rail, reference) => (rail === EWALLET_RAIL ? requestOfCheckoutId(reference) : undefined),
  heldBy: ({ order, state }) => [{ rail: EWALLET_RAIL, reference: order.publicId, amountSen: state.minSen }],
  // Its statuses have no word for money that is gone again (contract §5).
  statusWhenReversed: 'failed',
};
