import type { SimulatedRail } from '../simulated-rail.ts';
import { ACCOUNT_INQUIRY, accountInquiry } from './account-inquiry.ts';
import { payouts, tellPayouts } from './payouts.ts';
import { reverseTransfer } from './reverse-transfer.ts';
import { TRANSFER_INTERBANK, transferInterbank } from './transfer-interbank.ts';
import { TRANSFER_STATUS, transferStatus } from './transfer-status.ts';

/** The bank that executes transfers. */
export const bankTransferRail: SimulatedRail = {
  routes: [
    { method: 'POST', url: '/v1.0/account-inquiry-external', handler: accountInquiry, service: ACCOUNT_INQUIRY },
    { method: 'POST', url: '/v1.0/transfer-interbank', handler: transferInterbank, service: TRANSFER_INTERBANK },
    { method: 'POST', url: '/v1.0/transfer/status', handler: transferStatus, service: TRANSFER_STATUS },
    { method: 'POST', url: '/sandbox/transfers/:transaction_id/reverse', handler: reverseTransfer, anyone: false },
  ],
  books: { 'bank-transfer': (context) => payouts(context, 'bank-transfer') },
  histories: {
    'bank-transfer': {
      rail: 'bank-transfer',
      rows: (context, between) => tellPayouts(context, 'bank-transfer', 'TRSF', between),
    },
  },
};
