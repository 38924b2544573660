import { payouts } from '../bank-transfer/payouts.ts';
import type { SimulatedRail } from '../simulated-rail.ts';
import { PREPAID_INQUIRY, PREPAID_PURCHASE, prepaidInquiry, prepaidPurchase } from './snap.ts';

/** The aggregator that sells prepaid products. Purchases stand in the books of transfers, under their own rail. */
export const prepaidRail: SimulatedRail = {
  routes: [
    { method: 'POST', url: '/v1.0/prepaid/inquiry', handler: prepaidInquiry, service: PREPAID_INQUIRY },
    { method: 'POST', url: '/v1.0/prepaid/purchase', handler: prepaidPurchase, service: PREPAID_PURCHASE },
  ],
  books: { biller: (context) => payouts(context, 'biller') },
};
