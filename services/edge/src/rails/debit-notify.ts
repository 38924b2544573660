import { z } from 'zod';
import type { RailCall } from './call.ts';
import type { RailsContext } from './context.ts';
import { answerOfTransaction } from './decisions.ts';
import { amountSen, reference, type SnapAnswer, SUCCESSFUL, timeMs } from './snap.ts';

export const debitNotifySchema = z.object({
  originalPartnerReferenceNo: reference(64),
  originalReferenceNo: reference(64),
  latestTransactionStatus: z.enum(['00', '01', '02', '03', '04', '05', '06', '07']),
  transactionStatusDesc: z.string().max(200).default(''),
  amount: amountSen,
  finishedTime: timeMs,
});

/** POST /v1.0/debit/notify (SNAP 56): the customer has paid by e-wallet, or will not. */
export async function debitNotify(
  context: RailsContext,
  { partner, body }: RailCall<z.output<typeof debitNotifySchema>>,
): Promise<SnapAnswer> {
  const { partnerId } = partner;
  const partnerReference = body.originalPartnerReferenceNo;
  switch (body.latestTransactionStatus) {
    case '00': {
      const { decision } = await context.moneyIn.notifyPayment({
        partnerId,
        railReference: body.originalReferenceNo,
        paidAtMs: BigInt(body.finishedTime),
        amountSen: body.amount,
        moneyTaken: true,
        payable: { case: 'ewallet', value: { partnerReference } },
      });
      return answerOfTransaction(decision);
    }
    case '05':
    case '06': {
      const failed = { partnerId, partnerReference, reason: body.transactionStatusDesc, failedAtMs: BigInt(body.finishedTime) };
      const { decision } = await context.moneyIn.notifyCheckoutFailed(failed);
      return answerOfTransaction(decision);
    }
    default:
      return SUCCESSFUL;
  }
}
