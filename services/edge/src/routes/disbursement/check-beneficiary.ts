import { beneficiarySchema, presentBeneficiary } from '@gerbang/present';
import { z } from 'zod';
import { operation } from '../../http/operation.ts';
import { bankAccountNumber, bankCode } from '../money-out-fields.ts';

/** Longer than money-out waits for the bank, so that it is money-out that says what a silent bank means. */
const TIMEOUT_MS = 8_000;

const body = z.object({ bank_code: bankCode, bank_account_number: bankAccountNumber });

/** POST check-beneficiary (merchant-api.md, disbursement beneficiary check). Refusals: validation, and those of money-out. */
export const checkBeneficiary = operation({
  id: 'checkBeneficiary',
  summary: 'Check a beneficiary',
  description: 'Asks the bank whose account it is. Nothing is moved.',
  input: z.object({ body }),
  data: beneficiarySchema,
  refusals: ['not_found', 'vendor_inactive'],
  async handle({ disbursements }, { caller, body: { bank_code, bank_account_number } }) {
    const found = await disbursements.checkBeneficiary(
      { merchantId: caller.merchantId, bankCode: bank_code, bankAccountNumber: bank_account_number },
      { timeoutMs: TIMEOUT_MS },
    );
    return { data: presentBeneficiary(found) };
  },
});
