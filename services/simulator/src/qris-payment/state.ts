import { toMoney } from '@gerbang/core';
import type { Context } from '../context.ts';
import { done, TRANSACTION_NOT_FOUND } from '../money-in/snap-fields.ts';
import type { SnapAnswer } from '../snap/snap.ts';
import type { QrisEntry } from './books.ts';
import { QR_PAYMENT } from './payment.ts';

/** SNAP's latestTransactionStatus. */
export const STATUS = {
  success: { latestTransactionStatus: '00', transactionStatusDesc: 'Success' },
  pending: { latestTransactionStatus: '03', transactionStatusDesc: 'Pending' },
  failed: { latestTransactionStatus: '06', transactionStatusDesc: 'Failed' },
  canceled: { latestTransactionStatus: '05', transactionStatusDesc: 'Canceled' },
  reversed: { latestTransactionStatus: '04', transactionStatusDesc: 'Refunded' },
} as const satisfies Record<QrisEntry['status'], object>;

/** How the payment of a code stands (SNAP 51, asked with the service code of the payment). */
export async function paymentState({ qrisBooks }: Context, partnerReference: string): Promise<SnapAnswer> {
  const entry = await qrisBooks.find(partnerReference);
  if (entry === undefined) return TRANSACTION_NOT_FOUND;
  return done({
    originalReferenceNo: entry.referenceNo,
    originalPartnerReferenceNo: entry.partnerReference,
    serviceCode: QR_PAYMENT,
    amount: toMoney(entry.amountSen),
    ...STATUS[entry.status],
    ...(entry.failure !== undefined && {
      transactionStatusDesc: entry.failure.message,
      originalResponseCode: entry.failure.responseCode,
    }),
    additionalInfo: { rrn: entry.rrn },
  });
}
