import { presentTransfer } from '@gerbang/present';
import type { Transfer } from '@gerbang/proto/gerbang/money_out/v1/money_out';
import type { Answer, Handler } from '../../http/route.ts';

/** GET /api/v1.0/disbursement/show/{account_id}/{transaction_id} (contract §6). Refusals: those of money-out. */
export const showTransfer: Handler = async ({ disbursements }, { caller, params }) => {
  const { transfer } = await disbursements.getTransfer({
    merchantId: caller.merchantId,
    accountId: params.account_id ?? '',
    by: { case: 'transactionId', value: params.transaction_id ?? '' },
  });
  return answerTransfer(transfer);
};

/** A transfer that was found. */
export function answerTransfer(transfer: Transfer | undefined): Answer {
  if (transfer === undefined) throw new Error('money-out answered no transfer');
  return { data: presentTransfer(transfer) };
}
