import { disbursementFeeSchema, presentDisbursementFee } from '@gerbang/present';
import { z } from 'zod';
import { accountId } from '../../http/fields.ts';
import { operation } from '../../http/operation.ts';
import { bankCode } from '../money-out-fields.ts';

const query = z.object({ account_id: accountId, bank_code: bankCode });

/** GET fee?account_id&bank_code (contract §6). Refusals: validation, and those of money-out. */
export const fee = operation({
  id: 'showDisbursementFee',
  summary: 'Fee of a disbursement to a bank',
  input: z.object({ query }),
  data: disbursementFeeSchema,
  async handle({ disbursements }, { caller, query: { account_id, bank_code } }) {
    const found = await disbursements.getFee({ merchantId: caller.merchantId, accountId: account_id, bankCode: bank_code });
    return { data: presentDisbursementFee(found) };
  },
});
