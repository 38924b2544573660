import type { Provider, ServiceProfile } from './provider.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

const transfer = (path: string): ServiceProfile => ({ path, channelId: '95051' });
/** X-EXTERNAL-ID has at most 32 digits there. */
const short = (path: string): ServiceProfile => ({ ...transfer(path), externalId: { digitsMax: 32 } });
const qris = (path: string): ServiceProfile => ({ path, channelId: '95251' });

/**
 * BCA, as its developer page has it: transfers, and QRIS codes. Accounts at BCA itself take 15 and 17, all others 16 and 18 over
 * BI-FAST, which names banks by SWIFT code. It has no service 77: codes end by their validity only.
 */
export const bca: Provider = {
  name: 'bca',
  signature: 'token',
  services: {
    accessTokenB2b: { path: '/openapi/v1.0/access-token/b2b' },
    accountInquiryInternal: short('/openapi/v1.0/account-inquiry-internal'),
    accountInquiryExternal: { ...short('/openapi/v2.0/account-inquiry-external'), additionalInfo: { inquiryService: '2' } },
    transferIntrabank: transfer('/openapi/v1.0/transfer-intrabank'),
    transferInterbank: {
      ...short('/openapi/v2.0/transfer-interbank'),
      // 99: the purpose is none of investment, transfer of wealth, purchase.
      additionalInfo: { transferType: '2', purposeCode: '99' },
    },
    transferStatus: short('/openapi/v1.0/transfer/status'),
    bankStatement: transfer('/openapi/v1.0/bank-statement'),
    qrisGenerate: qris('/openapi/v1.0/qr/qr-mpm-generate'),
    // 4035100: the code has expired.
    qrisQuery: { ...qris('/openapi/v1.0/qr/qr-mpm-query'), treatments: { '40300': 'failure' } },
  },
  bankTransfer: { bankCode: 'swift', ownBankCode: '014', sourceAccountDigits: 10 },
  history: { sliceMs: DAY_MS },
  qris: { validityMs: { min: 5 * MINUTE_MS, max: 120 * MINUTE_MS } },
};
