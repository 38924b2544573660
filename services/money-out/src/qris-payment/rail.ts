import { decodeQris, isRefusal } from '@gerbang/core';
import { type RailConfig, railFromConfig, railVariables } from '@gerbang/rails';
import { openSnapQrisPayment } from '@gerbang/rails/qris-payment';
import { z } from 'zod';
import type { ToldHistory } from '../reconciliation/rails.ts';
import { readDetails, readRrn } from './document.ts';

/** How the acquirer, or switch, over which codes are paid is reached, and what it knows us by as the payer. */
export const qrisPaymentVariables = {
  ...railVariables('QRIS_ISSUER'),
  RAIL_QRIS_ISSUER_MERCHANT_ID: z.string().min(1),
};

export const openQrisPayment = (config: RailConfig<'QRIS_ISSUER'> & { RAIL_QRIS_ISSUER_MERCHANT_ID: string }) =>
  openSnapQrisPayment({ ...railFromConfig(config, 'QRIS_ISSUER'), merchantId: config.RAIL_QRIS_ISSUER_MERCHANT_ID });

/** The acquirer's history names the RRN and the merchant. */
export const qrisPaymentHistory: ToldHistory = {
  name: 'qris-issuer',
  style: 'transaction-history',
  idPrefix: '66',
  cluesOf: (document) => ({ keys: [readRrn(document)], text: merchantNameIn(readDetails(document).qrData) }),
};

function merchantNameIn(qrData: string): string {
  const code = decodeQris(qrData);
  return isRefusal(code) ? '' : code.merchantName;
}
