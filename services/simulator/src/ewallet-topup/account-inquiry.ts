import { toMoney } from '@gerbang/core';
import { z } from 'zod';
import { isBeneficiaryFound } from '../bank-transfer/beneficiary.ts';
import { done, snapAmountSen } from '../money-in/snap-fields.ts';
import type { SnapAnswer } from '../snap/snap.ts';
import { transaction } from '../snap/transaction.ts';
import { takeQuestionId } from './question-id.ts';
import { customerFields, LIMIT_SEN, NAME_PREFIXES } from './wallet.ts';

export const EMONEY_INQUIRY = '37';

const schema = z.object({ ...customerFields, amount: snapAmountSen });

const NOT_REGISTERED: SnapAnswer = {
  http: 403,
  caseCode: '05',
  message: 'Do Not Honor',
  fields: { additionalInfo: { resultMsg: 'PAYEE_USER_NOT_EXIST' } },
};
const OVER_LIMIT: SnapAnswer = { http: 403, caseCode: '02', message: 'Exceeds Transaction Amount Limit' };

/**
 * POST /v1.0/emoney/account-inquiry: the customer's name is `TEST <last 4>`, 4033705 for 0404 (SNAP service 37, contract §11).
 */
export const emoneyInquiry = transaction(
  EMONEY_INQUIRY,
  schema,
  () => 'ewallet',
  async (context, { body, externalKey, forced }) => {
    await takeQuestionId(context, externalKey);
    if (forced === 'timeout') return 'silence';
    const { customerNumber, amount, additionalInfo } = body;
    if (!isBeneficiaryFound(customerNumber, forced)) return NOT_REGISTERED;
    if (amount > LIMIT_SEN) return OVER_LIMIT;
    return done({
      customerNumber: customerNumber.replace(/.(?=.{4})/g, '*'),
      customerName: `${NAME_PREFIXES[additionalInfo.beneficiaryProvider] ?? ''}TEST ${customerNumber.slice(-4)}`,
      maxAmount: toMoney(LIMIT_SEN),
      amount: toMoney(amount),
      feeAmount: toMoney(0n),
    });
  },
);
