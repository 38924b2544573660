import { transferSchema } from '@gerbang/present';
import { z } from 'zod';
import { accountId } from '../../http/fields.ts';
import { operation } from '../../http/operation.ts';
import { referenceNumber } from '../money-out-fields.ts';
import { dataOf } from './show.ts';

const body = z.object({ account_id: accountId, reference_number: referenceNumber });

/**
 * POST inquiry-status: a transaction that is found is a success, even if the transfer has failed (contract §6). Refusals:
 * validation, and those of money-out.
 */
export const inquireStatus = operation({
  id: 'inquireDisbursementStatus',
  summary: 'Status of a disbursement',
  description: 'SP000 where the transaction is found, with any status: `transaction_status` has the outcome.',
  input: z.object({ body }),
  data: transferSchema,
  refusals: ['transaction_not_found'],
  async handle({ disbursements }, { caller, body: { account_id, reference_number } }) {
    const { transfer } = await disbursements.getTransfer({
      merchantId: caller.merchantId,
      accountId: account_id,
      by: { case: 'referenceNumber', value: reference_number },
    });
    return { data: dataOf(transfer) };
  },
});
