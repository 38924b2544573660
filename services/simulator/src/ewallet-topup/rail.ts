import { payouts, tellPayouts } from '../bank-transfer/payouts.ts';
import type { SimulatedRail } from '../simulated-rail.ts';
import { EMONEY_INQUIRY, emoneyInquiry } from './account-inquiry.ts';
import { EMONEY_TOPUP, emoneyTopup } from './topup.ts';
import { EMONEY_STATUS, emoneyStatus } from './topup-status.ts';

/** Those who top up e-wallets. Top-ups stand in the books of transfers, under their own rail. */
export const ewalletTopupRail: SimulatedRail = {
  routes: [
    { method: 'POST', url: '/v1.0/emoney/account-inquiry', handler: emoneyInquiry, service: EMONEY_INQUIRY },
    { method: 'POST', url: '/v1.0/emoney/topup', handler: emoneyTopup, service: EMONEY_TOPUP },
    { method: 'POST', url: '/v1.0/emoney/topup-status', handler: emoneyStatus, service: EMONEY_STATUS },
  ],
  books: { ewallet: (context) => payouts(context, 'ewallet') },
  histories: {
    'ewallet-topup': { rail: 'ewallet', rows: (context, between) => tellPayouts(context, 'ewallet', 'TOPUP', between) },
  },
};
