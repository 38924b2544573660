import type { Provider } from './provider.ts';

/** SNAP as ASPI publishes it. The sandbox's rails speak it, and so does every provider that deviates in nothing. */
export const aspi: Provider = {
  name: 'aspi',
  signature: 'token',
  services: {
    accountInquiryExternal: { path: '/v1.0/account-inquiry-external' },
    transferInterbank: { path: '/v1.0/transfer-interbank' },
    transferStatus: { path: '/v1.0/transfer/status' },
    walletInquiry: { path: '/v1.0/emoney/account-inquiry' },
    topup: { path: '/v1.0/emoney/topup' },
    topupStatus: { path: '/v1.0/emoney/topup-status' },
    qrisGenerate: { path: '/v1.0/qr/qr-mpm-generate' },
    qrisDecode: { path: '/v1.0/qr/qr-mpm-decode' },
    qrisPayment: { path: '/v1.0/qr/qr-mpm-payment' },
    qrisQuery: { path: '/v1.0/qr/qr-mpm-query' },
    qrisCancel: { path: '/v1.0/qr/qr-mpm-cancel' },
    qrisRefund: { path: '/v1.0/qr/qr-mpm-refund' },
    debitPayment: { path: '/v1.0/debit/payment-host-to-host' },
    debitStatus: { path: '/v1.0/debit/status' },
    debitCancel: { path: '/v1.0/debit/cancel' },
    debitRefund: { path: '/v1.0/debit/refund' },
    accessTokenB2b: { path: '/v1.0/access-token/b2b' },
    cardlessCreate: { path: '/v1.0/cardless-withdrawal/create-code' },
    cardlessStatus: { path: '/v1.0/cardless-withdrawal/status' },
    cardlessCancel: { path: '/v1.0/cardless-withdrawal/cancel' },
    prepaidInquiry: { path: '/v1.0/prepaid/inquiry' },
    prepaidPurchase: { path: '/v1.0/prepaid/purchase' },
  },
  bankTransfer: { bankCode: 'national' },
  ewalletTopup: { wallet: 'several' },
  qris: {},
};
