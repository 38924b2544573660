import { presentTransfer, type TransferJson, transferSchema } from '@gerbang/present';
import type { Transfer } from '@gerbang/proto/gerbang/money_out/v1/money_out';
import { z } from 'zod';
import { idInPath, inAccount } from '../../http/fields.ts';
import { operation } from '../../http/operation.ts';

const params = inAccount({ transaction_id: idInPath('`transaction_id` of the disbursement.') });

/** GET /api/v1.0/disbursement/show/{account_id}/{transaction_id} (contract §6). Refusals: those of money-out. */
export const showTransfer = operation({
  id: 'showDisbursement',
  summary: 'Show a disbursement',
  input: z.object({ params }),
  data: transferSchema,
  refusals: ['transaction_not_found'],
  async handle({ disbursements }, { caller, params: { account_id: accountId, transaction_id: value } }) {
    const { transfer } = await disbursements.getTransfer({
      merchantId: caller.merchantId,
      accountId,
      by: { case: 'transactionId', value },
    });
    return { data: dataOf(transfer) };
  },
});

/** A transfer that must be in money-out's answer. */
export function dataOf(transfer: Transfer | undefined): TransferJson {
  if (transfer === undefined) throw new Error('money-out answered no transfer');
  return presentTransfer(transfer);
}
