import { v1 } from '../http/envelope-v1.ts';
import type { Route } from '../http/route.ts';
import { createEwalletCheckout } from './ewallet-checkout/create.ts';
import { listEwalletCheckouts } from './ewallet-checkout/list.ts';
import { showEwalletCheckout } from './ewallet-checkout/show.ts';
import { chapter, del, get, post, put, withId } from './methods.ts';
import { createPaymentLink } from './payment-links/create.ts';
import { deletePaymentLink } from './payment-links/delete.ts';
import { listPaymentLinks } from './payment-links/list.ts';
import { listHistories } from './payment-links/list-histories.ts';
import { listPaymentMethods } from './payment-links/methods.ts';
import { showPaymentLink } from './payment-links/show.ts';
import { showHistory } from './payment-links/show-history.ts';
import { updatePaymentLink } from './payment-links/update.ts';
import { generateQris } from './qris-dynamic/generate.ts';
import { inquireQris } from './qris-dynamic/inquiry-status.ts';
import { listQris } from './qris-dynamic/list.ts';
import { showQris } from './qris-dynamic/show.ts';
import { admitRetailCreate, createRetailTransaction } from './retail-transactions/create.ts';
import { showRetailTransaction } from './retail-transactions/show.ts';
import { createVirtualAccount } from './virtual-accounts/create.ts';
import { deleteVirtualAccount } from './virtual-accounts/delete.ts';
import { listVirtualAccounts } from './virtual-accounts/list.ts';
import { listVaTransactions } from './virtual-accounts/list-transactions.ts';
import { showVirtualAccount } from './virtual-accounts/show.ts';
import { showVaTransaction } from './virtual-accounts/show-transaction.ts';
import { updateVirtualAccount } from './virtual-accounts/update.ts';

/** The URL map of money in (contract §5). */
export const moneyInRoutes: readonly Route[] = [
  ...chapter(
    { name: 'Virtual account', description: 'Numbers that customers transfer to at their bank, and the payments they bring.' },
    [
      post('/api/v1.0/virtual-accounts/:account_id', v1, createVirtualAccount),
      get('/api/v1.0/virtual-accounts/:account_id', v1, listVirtualAccounts),
      get('/api/v1.0/virtual-accounts/:account_id/:id', v1, showVirtualAccount),
      put('/api/v1.0/virtual-accounts/:account_id/:id', v1, updateVirtualAccount),
      del('/api/v1.0/virtual-accounts/:account_id/:id', v1, deleteVirtualAccount),
      get('/api/v1.0/va-transactions/:account_id', v1, listVaTransactions),
      get('/api/v1.0/va-transactions/:account_id/:id', v1, showVaTransaction),
    ],
  ),
  ...chapter({ name: 'QRIS money in', description: 'Dynamic QR codes that customers pay with any app (contract §5).' }, [
    post('/api/v1.0/qris-dynamic/:account_id/generate', v1, generateQris),
    get('/api/v1.0/qris-dynamic/:account_id/list', v1, listQris),
    get('/api/v1.0/qris-dynamic/:account_id/inquiry-status/:id', v1, inquireQris),
    get('/api/v1.0/qris-dynamic/:account_id/show/:id', v1, showQris),
  ]),
  ...chapter({ name: 'E-wallet checkout', description: 'Payments that customers confirm in their wallet.' }, [
    post('/api/v1.0/ewallet-checkout/:account_id', v1, createEwalletCheckout),
    get('/api/v1.0/ewallet-checkout/:account_id', v1, listEwalletCheckouts),
    get('/api/v1.0/ewallet-checkout/:account_id/:transaction_id', v1, showEwalletCheckout),
  ]),
  ...chapter(
    { name: 'Retail outlet', description: 'Codes that customers pay in cash at ALFAMART and INDOMARET.', productRefusal: false },
    [
      { ...post('/api/v1.0/retail-transactions/:account_id', v1, createRetailTransaction), admit: admitRetailCreate },
      get('/api/v1.0/retail-transactions/:account_id/:transaction_id', v1, showRetailTransaction),
    ],
  ),
  ...chapter({ name: 'Payment link', description: 'Pages where a customer picks a method and pays, and each opening of them.' }, [
    get('/api/v1.0/payment-link-manage/payment-methods', v1, listPaymentMethods),
    post('/api/v1.0/payment-link-manage/:account_id', v1, createPaymentLink),
    get('/api/v1.0/payment-link-manage/:account_id', v1, listPaymentLinks),
    get('/api/v1.0/payment-link-manage/:account_id/:payment_link_id', v1, showPaymentLink),
    put('/api/v1.0/payment-link-manage/:account_id/:payment_link_id', v1, updatePaymentLink),
    del('/api/v1.0/payment-link-manage/:account_id/:payment_link_id', v1, deletePaymentLink),
    get('/api/v2.0/payment-link-manage/:account_id/:payment_link_id', v1, withId('showPaymentLinkV2', showPaymentLink)),
    get('/api/v1.0/payment-link-histories/:account_id', v1, listHistories),
    get('/api/v1.0/payment-link-histories/:account_id/:history_id', v1, showHistory),
  ]),
];
