import { z } from 'zod';
import { SnapRefusal } from '../snap/snap.ts';
import { transaction } from '../snap/transaction.ts';
import { isBeneficiaryFound } from './beneficiary.ts';

export const ACCOUNT_INQUIRY = '16';

const schema = z.object({
  partnerReferenceNo: z.string().min(1).max(64).optional(),
  beneficiaryBankCode: z.string().min(1).max(8),
  beneficiaryAccountNo: z.string().regex(/^[0-9]{1,34}$/),
});

/**
 * POST /v1.0/account-inquiry-external: the holder's name is `TEST <last 4>`; 4041611 for 0404 (SNAP service 16, contract §11).
 */
export const accountInquiry = transaction(
  ACCOUNT_INQUIRY,
  schema,
  () => 'bank-transfer',
  async (context, { body, externalKey, forced }) => {
    if ((await context.books.hasExternalKey(externalKey)) || !context.inquiryIds.take(externalKey)) {
      throw new SnapRefusal(409, '00', 'Conflict');
    }
    if (forced === 'timeout') return 'silence';
    const { partnerReferenceNo, beneficiaryAccountNo, beneficiaryBankCode } = body;
    if (!isBeneficiaryFound(beneficiaryAccountNo, forced)) return { http: 404, caseCode: '11', message: 'Invalid Account' };
    const beneficiaryAccountName = `TEST ${beneficiaryAccountNo.slice(-4)}`;
    return {
      http: 200,
      caseCode: '00',
      message: 'Successful',
      fields: { partnerReferenceNo, beneficiaryAccountName, beneficiaryAccountNo, beneficiaryBankCode, currency: 'IDR' },
    };
  },
);
