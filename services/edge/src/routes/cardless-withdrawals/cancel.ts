import { type Refusal, refuse } from '@gerbang/core';
import { type CardlessWithdrawalJson, cardlessWithdrawalSchema, presentCardlessWithdrawal } from '@gerbang/present';
import { z } from 'zod';
import { operation } from '../../http/operation.ts';
import { ofWithdrawal } from './show.ts';

/** money-out answers after 3 s at the most, when the bank has not; the rest is for the ledger and the road. */
const TIMEOUT_MS = 10_000;

/** POST cardless-withdrawals/{account_id}/{transaction_id}/cancel (contract §6). Refusals: those of money-out. */
export const cancelCardlessWithdrawal = operation({
  id: 'cancelCardlessWithdrawal',
  summary: 'Cancel a cardless withdrawal',
  description:
    'Asks the bank to take the code back; amount and fee are available again when it has. The bank decides, by its own time, ' +
    'whether the customer was faster. Answers when the bank has answered, or after 3 seconds with status active: the amount stays ' +
    'held until the bank has answered, and the webhook `cardless-withdrawal` brings the end. One that is canceled or expired ' +
    'already is answered as it is.',
  input: z.object({ params: ofWithdrawal }),
  data: cardlessWithdrawalSchema,
  refusals: ['transaction_not_found', 'frozen'],
  failures: ['transaction_failed'],
  async handle({ cardlessWithdrawals }, { caller, params: { account_id: accountId, transaction_id: transactionId } }) {
    const { transfer } = await cardlessWithdrawals.cancelCardlessWithdrawal(
      { merchantId: caller.merchantId, accountId, transactionId },
      { timeoutMs: TIMEOUT_MS },
    );
    if (transfer === undefined) throw new Error('money-out answered no cardless withdrawal');
    const data = presentCardlessWithdrawal(transfer);
    const failure = failureOf(data);
    return { data, ...(failure !== undefined && { failure }) };
  },
});

/** Who reads no more than the HTTP status must not take a withdrawal whose cash was drawn as canceled. */
function failureOf({ status }: CardlessWithdrawalJson): Refusal | undefined {
  switch (status) {
    case 'withdrawn':
      return refuse('transaction_failed', { message: 'The cash has been drawn already' });
    case 'failed':
      return refuse('transaction_failed', { message: 'The withdrawal has failed already' });
    case 'pending':
    case 'active':
    case 'expired':
    case 'canceled':
      return undefined;
    default:
      return status satisfies never;
  }
}
