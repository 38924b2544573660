import type { Context } from '../context.ts';
import type { Between } from '../history/row.ts';
import type { Route, SimulatedRail } from '../simulated-rail.ts';
import { confirmEwallet } from './confirm-ewallet.ts';
import {
  DEBIT_CANCEL,
  DEBIT_PAYMENT,
  DEBIT_REFUND,
  DEBIT_STATUS,
  debitCancel,
  debitPayment,
  debitRefund,
  debitStatus,
} from './ewallet.ts';
import { showEwalletPage, submitEwalletPage } from './ewallet-page.ts';
import { payRetailCode, payVirtualAccount } from './pay-number.ts';
import { payQris } from './pay-qris.ts';
import { QR_CANCEL, QR_GENERATE, QR_QUERY, qrCancel, qrGenerate, qrQuery } from './qris.ts';
import type { MoneyInRail } from './rail.ts';
import { receipts, tellReceipts } from './receipt-items.ts';
import { reverseQris } from './reverse-qris.ts';
import { CREATE_VA, createVa, DELETE_VA, deleteVa, UPDATE_VA, updateVa } from './virtual-account.ts';

/** The rails that customers pay at. */
export const moneyInRails: readonly SimulatedRail[] = [
  railOf('va', [
    { method: 'POST', url: '/v1.0/transfer-va/create-va', handler: createVa, service: CREATE_VA },
    { method: 'PUT', url: '/v1.0/transfer-va/update-va', handler: updateVa, service: UPDATE_VA },
    { method: 'DELETE', url: '/v1.0/transfer-va/delete-va', handler: deleteVa, service: DELETE_VA },
    { method: 'POST', url: '/sandbox/virtual-accounts/:number/pay', handler: payVirtualAccount, anyone: false },
  ]),
  railOf('qris', [
    { method: 'POST', url: '/v1.0/qr/qr-mpm-generate', handler: qrGenerate, service: QR_GENERATE },
    { method: 'POST', url: '/v1.0/qr/qr-mpm-query', handler: qrQuery, service: QR_QUERY },
    { method: 'POST', url: '/v1.0/qr/qr-mpm-cancel', handler: qrCancel, service: QR_CANCEL },
    { method: 'POST', url: '/sandbox/qris/pay', handler: payQris, anyone: false },
    { method: 'POST', url: '/sandbox/qris/reverse', handler: reverseQris, anyone: false },
  ]),
  railOf('ewallet', [
    { method: 'POST', url: '/v1.0/debit/payment-host-to-host', handler: debitPayment, service: DEBIT_PAYMENT },
    { method: 'POST', url: '/v1.0/debit/status', handler: debitStatus, service: DEBIT_STATUS },
    { method: 'POST', url: '/v1.0/debit/cancel', handler: debitCancel, service: DEBIT_CANCEL },
    { method: 'POST', url: '/v1.0/debit/refund', handler: debitRefund, service: DEBIT_REFUND },
    { method: 'POST', url: '/sandbox/ewallet/:transaction_id/confirm', handler: confirmEwallet, anyone: false },
    // The wallet's own page is open to customers from any address.
    { method: 'GET', url: '/ewallet/:transaction_id', handler: showEwalletPage, anyone: true },
    { method: 'POST', url: '/ewallet/:transaction_id', handler: submitEwalletPage, anyone: true },
  ]),
  railOf('retail', [{ method: 'POST', url: '/sandbox/retail/:payment_code/pay', handler: payRetailCode, anyone: false }]),
];

function railOf(rail: MoneyInRail, routes: readonly Route[]): SimulatedRail {
  return {
    routes,
    books: { [rail]: (context: Context) => receipts(context, rail) },
    histories: { [rail]: { rail, rows: (context: Context, between: Between) => tellReceipts(context, rail, between) } },
  };
}
