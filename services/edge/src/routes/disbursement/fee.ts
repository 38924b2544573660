import { presentDisbursementFee } from '@gerbang/present';
import { z } from 'zod';
import { accountId } from '../../http/fields.ts';
import type { Handler } from '../../http/route.ts';
import { validate } from '../../http/validation.ts';
import { bankCode } from '../money-out-fields.ts';

const query = z.object({ account_id: accountId, bank_code: bankCode });

/** GET fee?account_id&bank_code (contract §6). Refusals: validation, and those of money-out. */
export const fee: Handler = async ({ disbursements }, call) => {
  const { account_id, bank_code } = validate(query, call.query);
  const found = await disbursements.getFee({ merchantId: call.caller.merchantId, accountId: account_id, bankCode: bank_code });
  return { data: presentDisbursementFee(found) };
};
