import { CARD } from '../context.ts';
import type { PaymentOrder } from './state.ts';

/** As money-in's product is named. */
export const PAYMENT_LINK = 'payment-link';

/** What a payment settles and is listed as: what is paid through a link is the link's, by whichever method (docs/checkout.md). */
export function productOf({ link }: Pick<PaymentOrder, 'link'>): string {
  return link === undefined ? CARD : PAYMENT_LINK;
}
