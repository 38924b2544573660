import { presentBeneficiary } from '@gerbang/present';
import { z } from 'zod';
import type { Handler } from '../../http/route.ts';
import { validate } from '../../http/validation.ts';
import { bankAccountNumber, bankCode } from '../money-out-fields.ts';

/** Longer than money-out waits for the bank, so that it is money-out that says what a silent bank means. */
const TIMEOUT_MS = 8_000;

const body = z.object({ bank_code: bankCode, bank_account_number: bankAccountNumber });

/** POST check-beneficiary (merchant-api.md, disbursement beneficiary check). Refusals: validation, and those of money-out. */
export const checkBeneficiary: Handler = async ({ disbursements }, call) => {
  const { bank_code, bank_account_number } = validate(body, call.body);
  const found = await disbursements.checkBeneficiary(
    { merchantId: call.caller.merchantId, bankCode: bank_code, bankAccountNumber: bank_account_number },
    { timeoutMs: TIMEOUT_MS },
  );
  return { data: presentBeneficiary(found) };
};
