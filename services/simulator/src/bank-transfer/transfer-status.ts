import { jakartaIso, toMoney } from '@gerbang/core';
import { z } from 'zod';
import { SnapRefusal } from '../snap/snap.ts';
import { transaction } from '../snap/transaction.ts';
import type { BookEntry } from './books.ts';
import { TRANSFER_INTERBANK } from './transfer-interbank.ts';

export const TRANSFER_STATUS = '36';

const schema = z.object({
  originalPartnerReferenceNo: z.string().min(1).max(64),
  originalExternalId: z
    .string()
    .regex(/^[0-9]{1,36}$/)
    .optional(),
  serviceCode: z.literal(TRANSFER_INTERBANK),
});

/** SNAP's latestTransactionStatus. */
export const STATUS = {
  success: { latestTransactionStatus: '00', transactionStatusDesc: 'Success' },
  pending: { latestTransactionStatus: '03', transactionStatusDesc: 'Pending' },
  failed: { latestTransactionStatus: '06', transactionStatusDesc: 'Failed' },
  reversed: { latestTransactionStatus: '04', transactionStatusDesc: 'Returned by the beneficiary bank' },
} as const satisfies Record<BookEntry['status'], object>;

/**
 * POST /v1.0/transfer/status: how a transfer stands in the books, 4043601 when it is not there (SNAP service 36). A forced
 * outcome of the rail changes nothing here: what is booked is booked.
 */
export const transferStatus = transaction(
  TRANSFER_STATUS,
  schema,
  () => 'bank-transfer',
  async (context, { body, externalKey }) => {
    if ((await context.books.hasExternalKey(externalKey)) || !context.inquiryIds.take(externalKey)) {
      throw new SnapRefusal(409, '00', 'Conflict');
    }
    const entry = await context.books.find('bank-transfer', body.originalPartnerReferenceNo);
    if (entry === undefined) return { http: 404, caseCode: '01', message: 'Transaction Not Found' };
    return {
      http: 200,
      caseCode: '00',
      message: 'Successful',
      fields: {
        originalReferenceNo: entry.referenceNo,
        originalPartnerReferenceNo: entry.partnerReference,
        serviceCode: TRANSFER_INTERBANK,
        transactionDate: jakartaIso(entry.bookedAtMs),
        amount: toMoney(entry.amountSen),
        beneficiaryAccountNo: entry.accountNumber,
        beneficiaryBankCode: entry.bankCode,
        ...STATUS[entry.status],
        ...(entry.failure !== undefined && {
          transactionStatusDesc: entry.failure.message,
          previousResponseCode: entry.failure.responseCode,
        }),
      },
    };
  },
);
