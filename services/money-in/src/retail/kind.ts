import type { Kind } from '../payment-request/kind.ts';
import { codec } from './document.ts';
import { retailPayload } from './message.ts';
import { retailMethod } from './method.ts';
import { retailRail } from './rail.ts';
import { asRetail, RETAIL } from './retail.ts';

/** Codes that customers pay in cash at a shop. */
export const retail: Kind = {
  name: RETAIL,
  product: RETAIL,
  events: { paid: 'retail.paid', expired: 'retail.expired' },
  codec,
  rail: retailRail,
  method: retailMethod,
  eventPayload: retailPayload,
  chargedAs: ({ details }) => ({ product: RETAIL, channel: asRetail(details).retailCode }),
  nameOnBill: ({ details }) => asRetail(details).customerName,
};
