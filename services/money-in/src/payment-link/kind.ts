import type { Kind } from '../payment-request/kind.ts';
import { codec } from './document.ts';
import { paymentLinkPayload } from './message.ts';
import { asPaymentLink, PAYMENT_LINK } from './payment-link.ts';

/**
 * Links that customers open to pay. Each opening is a session of its own, which takes a use of its link; money comes to sessions
 * only.
 */
export const paymentLink: Kind = {
  name: PAYMENT_LINK,
  product: PAYMENT_LINK,
  events: { changed: 'payment-link.changed', deleted: 'payment-link.deleted', expired: 'payment-link.expired' },
  codec,
  eventPayload: paymentLinkPayload,
  chargedAs: () => ({ product: PAYMENT_LINK, channel: '' }),
  nameOnBill: ({ details }) => asPaymentLink(details).title,
  // Uses that are under way are sessions, which are still good after it.
  expiresInUse: true,
};
