import { ReversalKind } from '@gerbang/proto/gerbang/money_in/v1/rail';
import { z } from 'zod';
import type { RailCall } from './call.ts';
import type { RailsContext } from './context.ts';
import { answerOfReversal, answerOfTransaction } from './decisions.ts';
import { amountSen, reference, type SnapAnswer, SUCCESSFUL, timeMs } from './snap.ts';

export const debitNotifySchema = z.object({
  originalPartnerReferenceNo: reference(64),
  originalReferenceNo: reference(64),
  latestTransactionStatus: z.enum(['00', '01', '02', '03', '04', '05', '06', '07']),
  transactionStatusDesc: z.string().max(200).default(''),
  amount: amountSen,
  finishedTime: timeMs,
});

/** POST /v1.0/debit/notify (SNAP 56): the customer has paid by e-wallet, or will not; or has the money again. */
export async function debitNotify(
  context: RailsContext,
  { partner, body }: RailCall<z.output<typeof debitNotifySchema>>,
): Promise<SnapAnswer> {
  const { partnerId } = partner;
  const { originalPartnerReferenceNo: partnerReference, originalReferenceNo: railReference } = body;
  const { transactionStatusDesc: reason } = body;
  const reportedAtMs = BigInt(body.finishedTime);
  switch (body.latestTransactionStatus) {
    case '00': {
      const { decision } = await context.moneyIn.notifyPayment({
        partnerId,
        railReference,
        paidAtMs: reportedAtMs,
        amountSen: body.amount,
        moneyTaken: true,
        payable: { case: 'ewallet', value: { partnerReference } },
      });
      return answerOfTransaction(decision);
    }
    case '05':
    case '06': {
      const failed = { partnerId, partnerReference, railReference, reason, failedAtMs: reportedAtMs };
      const { decision } = await context.moneyIn.notifyCheckoutFailed(failed);
      return answerOfTransaction(decision);
    }
    case '04': {
      const amount = { amountSen: body.amount, kind: ReversalKind.REFUNDED };
      const reversed = { rail: partner.rail, partnerId, railReference, partnerReference, reason, reportedAtMs, ...amount };
      return answerOfReversal((await context.moneyIn.notifyReversed(reversed)).decision);
    }
    default:
      return SUCCESSFUL;
  }
}
