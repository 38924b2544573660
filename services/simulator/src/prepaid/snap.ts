import { newUlid, toMoney } from '@gerbang/core';
import { z } from 'zod';
import type { BookEntry, Booking } from '../bank-transfer/books.ts';
import { STATUS } from '../bank-transfer/transfer-status.ts';
import type { Context } from '../context.ts';
import { done, partnerReference, snapAmountSen, takeExternalId } from '../money-in/snap-fields.ts';
import { type SnapAnswer, SnapRefusal } from '../snap/snap.ts';
import { transaction } from '../snap/transaction.ts';
import { answerInquiry, decisionOf, tokenSeed } from './customer.ts';
import { tokenOf } from './token.ts';

// SNAP has no services of prepaid products: these are of our own, with numbers that SNAP does not use.
export const PREPAID_INQUIRY = '95';
export const PREPAID_PURCHASE = '96';

const customer = {
  partnerReferenceNo: partnerReference,
  productCode: z.string().min(1).max(40),
  customerNo: z.string().regex(/^[0-9]{8,20}$/),
};
const question = z.object(customer);
const order = z.object({
  ...customer,
  amount: snapAmountSen,
  additionalInfo: z.object({ transactionId: z.string().min(1).max(64).optional() }).optional(),
});

const biller = () => 'biller' as const;

/** POST /v1.0/prepaid/inquiry: the customer's name is `TEST <last 4>`; 404 11, 403 18 and 404 02 by the number's ending. */
export const prepaidInquiry = transaction(PREPAID_INQUIRY, question, biller, async (context, { body, externalKey, forced }) => {
  takeExternalId(context, externalKey);
  return answerInquiry(body.customerNo, forced);
});

/**
 * POST /v1.0/prepaid/purchase: books the purchase, then answers as the customer or the forced outcome says (contract §11). The
 * same request again books nothing and says what has become of the first one, also where something is forced now; other content under its
 * reference is 404 18.
 */
export const prepaidPurchase = transaction(PREPAID_PURCHASE, order, biller, async (context, { body, externalKey, forced }) => {
  if (context.inquiryIds.has(externalKey)) throw new SnapRefusal(409, '00', 'Conflict');
  const { verdict, answers } = decisionOf(body.customerNo, forced);
  const booking: Booking = {
    rail: 'biller',
    partnerReference: body.partnerReferenceNo,
    merchantReference: body.partnerReferenceNo,
    transactionId: body.additionalInfo?.transactionId ?? body.partnerReferenceNo,
    externalKey,
    amountSen: body.amount,
    bankCode: body.productCode,
    accountNumber: body.customerNo,
    remark: '',
    referenceNo: newUlid(Date.now()),
    verdict,
  };
  const booked = await context.books.book(booking);
  if (booked === 'external-id-used') throw new SnapRefusal(409, '00', 'Conflict');
  const entry = await context.books.find('biller', booking.partnerReference);
  if (entry === undefined || !isSame(entry, booking)) throw new SnapRefusal(404, '18', 'Inconsistent Request');
  if (booked === 'booked' && !answers) return 'silence';
  return stateOf(context, entry);
});

function isSame(entry: BookEntry, booking: Booking): boolean {
  const { amountSen, bankCode, accountNumber } = entry;
  return amountSen === booking.amountSen && bankCode === booking.bankCode && accountNumber === booking.accountNumber;
}

/** The serial number is what shops print on the receipt. */
function stateOf({ partner }: Context, entry: BookEntry): SnapAnswer {
  const { failure } = entry;
  return done({
    originalPartnerReferenceNo: entry.partnerReference,
    originalReferenceNo: entry.referenceNo,
    customerNo: entry.accountNumber,
    amount: toMoney(entry.amountSen),
    ...STATUS[entry.status],
    ...(entry.status === 'success' && {
      serialNumber: entry.referenceNo.slice(-16),
      token: tokenOf(partner.clientSecret, tokenSeed(entry.accountNumber, entry.partnerReference)),
    }),
    ...(failure !== undefined && { transactionStatusDesc: failure.message, previousResponseCode: failure.responseCode }),
  });
}
