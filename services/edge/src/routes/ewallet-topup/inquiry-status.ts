import { ewalletTopupSchema, presentEwalletTopup } from '@gerbang/present';
import { z } from 'zod';
import { accountId } from '../../http/fields.ts';
import { operation } from '../../http/operation.ts';
import { referenceNumber } from '../money-out-fields.ts';

const body = z.object({ account_id: accountId, reference_number: referenceNumber });

/**
 * POST /api/v2.0/ewallet/inquiry-status: a transaction that is found is a success, even if the top-up has failed (contract §6).
 * Refusals: validation, and those of money-out.
 */
export const inquireTopupStatus = operation({
  id: 'inquireEwalletTopupStatus',
  summary: 'Status of an e-wallet top-up',
  description: 'SP000 where the transaction is found, with any status: `transaction_status` has the outcome.',
  input: z.object({ body }),
  data: ewalletTopupSchema,
  refusals: ['transaction_not_found'],
  async handle({ ewalletTopups }, { caller, body: { account_id, reference_number } }) {
    const { transfer } = await ewalletTopups.getTopup({
      merchantId: caller.merchantId,
      accountId: account_id,
      referenceNumber: reference_number,
    });
    if (transfer === undefined) throw new Error('money-out answered no e-wallet top-up');
    return { data: presentEwalletTopup(transfer) };
  },
});
