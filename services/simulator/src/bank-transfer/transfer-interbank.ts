import { newUlid, parseAmount, toMoney } from '@gerbang/core';
import { z } from 'zod';
import { SnapRefusal } from '../snap/snap.ts';
import { transaction } from '../snap/transaction.ts';
import { decisionOf } from './beneficiary.ts';

export const TRANSFER_INTERBANK = '18';

const amountSen = z
  .string()
  .regex(/^[0-9]{1,14}\.[0-9]{2}$/)
  .transform((value, context) => {
    const sen = parseAmount(value);
    if (sen !== undefined) return sen;
    context.addIssue({ code: 'custom', message: 'out of bounds' });
    return z.NEVER;
  });

/** What the partner itself calls a transfer. */
const ownName = z.string().min(1).max(64).optional();

/** SNAP's mandatory fields; `sourceAccountNo` is not asked for: this bank has one account for its one partner. */
const schema = z.object({
  partnerReferenceNo: z.string().min(1).max(64),
  amount: z.object({ value: amountSen, currency: z.literal('IDR') }),
  beneficiaryAccountName: z.string().min(1).max(100),
  beneficiaryAccountNo: z.string().regex(/^[0-9]{1,34}$/),
  beneficiaryBankCode: z.string().min(1).max(8),
  transactionDate: z.iso.datetime({ offset: true }),
  additionalInfo: z
    .object({ merchantReference: ownName, transactionId: ownName, remark: z.string().max(256).default('') })
    .optional(),
});

/**
 * POST /v1.0/transfer-interbank: books the transfer, then answers as the beneficiary's account or the forced outcome says (SNAP
 * service 18, contract §11). A number used before is 409 and books nothing: 00 for the external id, 01 for the partner's
 * reference.
 */
export const transferInterbank = transaction(
  TRANSFER_INTERBANK,
  schema,
  () => 'bank-transfer',
  async (context, { body, externalKey, forced }) => {
    if (context.inquiryIds.has(externalKey)) throw new SnapRefusal(409, '00', 'Conflict');
    const { failed_case: failedCase } = context.behaviours.get('bank-transfer');
    const { verdict, answers } = decisionOf(body.beneficiaryAccountNo, forced, failedCase);
    const referenceNo = newUlid(Date.now());
    const booked = await context.books.book({
      rail: 'bank-transfer',
      partnerReference: body.partnerReferenceNo,
      merchantReference: body.additionalInfo?.merchantReference ?? body.partnerReferenceNo,
      transactionId: body.additionalInfo?.transactionId ?? body.partnerReferenceNo,
      externalKey,
      amountSen: body.amount.value,
      bankCode: body.beneficiaryBankCode,
      accountNumber: body.beneficiaryAccountNo,
      remark: body.additionalInfo?.remark ?? '',
      referenceNo,
      verdict,
    });
    if (booked === 'external-id-used') throw new SnapRefusal(409, '00', 'Conflict');
    if (booked === 'reference-used') throw new SnapRefusal(409, '01', 'Duplicate partnerReferenceNo');
    if (!answers) return 'silence';
    if (verdict.outcome === 'failed') {
      const { responseCode, message } = verdict;
      return { http: Number(responseCode.slice(0, 3)), caseCode: responseCode.slice(5), message };
    }
    return {
      http: 200,
      caseCode: '00',
      message: 'Successful',
      fields: {
        referenceNo,
        partnerReferenceNo: body.partnerReferenceNo,
        amount: toMoney(body.amount.value),
        beneficiaryAccountNo: body.beneficiaryAccountNo,
        beneficiaryBankCode: body.beneficiaryBankCode,
      },
    };
  },
);
