import { z } from 'zod';
import { accountId } from '../../http/fields.ts';
import type { Handler } from '../../http/route.ts';
import { validate } from '../../http/validation.ts';
import { referenceNumber } from '../money-out-fields.ts';
import { answerTransfer } from './show.ts';

const body = z.object({ account_id: accountId, reference_number: referenceNumber });

/**
 * POST inquiry-status: a transaction that is found is a success, even if the transfer has failed (contract §6). Refusals:
 * validation, and those of money-out.
 */
export const inquireStatus: Handler = async ({ disbursements }, call) => {
  const { account_id, reference_number } = validate(body, call.body);
  const { transfer } = await disbursements.getTransfer({
    merchantId: call.caller.merchantId,
    accountId: account_id,
    by: { case: 'referenceNumber', value: reference_number },
  });
  return answerTransfer(transfer);
};
