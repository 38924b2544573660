import { newUlid, toMoney } from '@gerbang/core';
import { z } from 'zod';
import type { BookEntry, Booking } from '../bank-transfer/books.ts';
import { done, partnerReference, snapAmountSen } from '../money-in/snap-fields.ts';
import { type SnapAnswer, SnapRefusal } from '../snap/snap.ts';
import { transaction } from '../snap/transaction.ts';
import { customerFields, decisionOf } from './wallet.ts';

export const EMONEY_TOPUP = '38';

const schema = z.object({
  ...customerFields,
  partnerReferenceNo: partnerReference,
  amount: snapAmountSen,
  transactionDate: z.iso.datetime({ offset: true }).optional(),
  notes: z.string().max(255).optional(),
});

const INCONSISTENT: SnapAnswer = { http: 404, caseCode: '18', message: 'Inconsistent Request' };
const IN_PROGRESS: SnapAnswer = { http: 202, caseCode: '00', message: 'Request In Progress' };

/**
 * POST /v1.0/emoney/topup: books the top-up, then answers as the customer or the forced outcome says (SNAP service 38, contract
 * §11). An external id that was used before is 409 00. A reference that was used before books nothing: the same content is
 * answered as the first request came out, other content is 404 18.
 */
export const emoneyTopup = transaction(
  EMONEY_TOPUP,
  schema,
  () => 'ewallet',
  async (context, { body, externalKey, forced }) => {
    if (context.inquiryIds.has(externalKey)) throw new SnapRefusal(409, '00', 'Conflict');
    const { customerNumber, additionalInfo, amount: amountSen } = body;
    const { verdict, answers } = decisionOf({ customerNumber, amountSen }, forced);
    const booking: Booking = {
      rail: 'ewallet',
      partnerReference: body.partnerReferenceNo,
      merchantReference: additionalInfo.merchantReference ?? body.partnerReferenceNo,
      transactionId: additionalInfo.transactionId ?? body.partnerReferenceNo,
      externalKey,
      amountSen,
      bankCode: additionalInfo.beneficiaryProvider,
      accountNumber: customerNumber,
      remark: body.notes ?? '',
      referenceNo: newUlid(Date.now()),
      verdict,
    };
    const booked = await context.books.book(booking);
    if (booked === 'external-id-used') throw new SnapRefusal(409, '00', 'Conflict');
    const entry = await context.books.find('ewallet', booking.partnerReference);
    if (entry === undefined || !isSame(entry, booking)) return INCONSISTENT;
    return answers ? answerOf(entry) : 'silence';
  },
);

function isSame(entry: BookEntry, booking: Booking): boolean {
  const { amountSen, bankCode, accountNumber } = entry;
  return amountSen === booking.amountSen && bankCode === booking.bankCode && accountNumber === booking.accountNumber;
}

function answerOf(entry: BookEntry): SnapAnswer {
  if (entry.status === 'pending') return IN_PROGRESS;
  if (entry.failure !== undefined) {
    const { responseCode, message } = entry.failure;
    return { http: Number(responseCode.slice(0, 3)), caseCode: responseCode.slice(5), message };
  }
  return done({
    referenceNo: entry.referenceNo,
    partnerReferenceNo: entry.partnerReference,
    customerNumber: entry.accountNumber,
    amount: toMoney(entry.amountSen),
  });
}
