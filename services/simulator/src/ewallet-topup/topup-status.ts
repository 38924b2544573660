import { toMoney } from '@gerbang/core';
import { z } from 'zod';
import { STATUS } from '../bank-transfer/transfer-status.ts';
import { done, partnerReference, TRANSACTION_NOT_FOUND } from '../money-in/snap-fields.ts';
import { transaction } from '../snap/transaction.ts';
import { takeQuestionId } from './question-id.ts';
import { EMONEY_TOPUP } from './topup.ts';

export const EMONEY_STATUS = '39';

const schema = z.object({ originalPartnerReferenceNo: partnerReference, serviceCode: z.literal(EMONEY_TOPUP) });

/**
 * POST /v1.0/emoney/topup-status: how a top-up stands in the books, 4043901 when it is not there (SNAP service 39). A forced
 * outcome of the rail changes nothing here: what is booked is booked.
 */
export const emoneyStatus = transaction(
  EMONEY_STATUS,
  schema,
  () => 'ewallet',
  async (context, { body, externalKey }) => {
    await takeQuestionId(context, externalKey);
    const entry = await context.books.find('ewallet', body.originalPartnerReferenceNo);
    if (entry === undefined) return TRANSACTION_NOT_FOUND;
    return done({
      originalReferenceNo: entry.referenceNo,
      originalPartnerReferenceNo: entry.partnerReference,
      serviceCode: EMONEY_TOPUP,
      amount: toMoney(entry.amountSen),
      ...STATUS[entry.status],
      ...(entry.failure !== undefined && { transactionStatusDesc: entry.failure.message }),
    });
  },
);
