import { refuse } from '@gerbang/core';
import { directDebitRefundSchema, presentDirectDebitRefund } from '@gerbang/present';
import { z } from 'zod';
import { moneyAmount, orAbsent } from '../../http/fields.ts';
import { operation } from '../../http/operation.ts';
import { ownReference, TIMEOUT_MS, transactionInPath } from './fields.ts';

const body = z.object({
  reference_number: ownReference("The merchant's reference of the refund, unique for its charge."),
  amount: orAbsent(moneyAmount).meta({ description: 'What is left of the charge where it is not given.' }),
});

/** POST /api/v2.0/direct-debit/transaction/{transaction_id}/refund (contract §8). Refusals: validation, those of direct-debit. */
export const refund = operation({
  id: 'refundDirectDebit',
  summary: 'Refund a charge, or a part of it',
  description:
    'Reserves the amount, from pending while the charge has not settled, else from available, then asks the bank. Answers when the ' +
    'bank has answered, or after 3 seconds with status PENDING; the webhooks `direct-debit.refund.succeeded` and `.failed` bring ' +
    'the outcome. The fee of the charge is not returned. The same reference with the same content answers the existing refund.',
  input: z.object({ params: z.object({ transaction_id: transactionInPath }), body }),
  data: directDebitRefundSchema,
  creates: true,
  links: { showDirectDebitTransaction: { transaction_id: '$request.path.transaction_id' } },
  refusals: ['insufficient_balance', 'duplicate_reference', 'frozen', 'transaction_not_found'],
  failures: ['transaction_failed'],
  async handle({ directDebits }, { caller, params, body: { reference_number: referenceNumber, amount }, idempotencyKey }) {
    const answer = await directDebits.refundCharge(
      {
        merchantId: caller.merchantId,
        transactionId: params.transaction_id,
        referenceNumber,
        ...(amount !== undefined && { amountSen: amount }),
        ...(idempotencyKey !== undefined && { idempotencyKey }),
      },
      { timeoutMs: TIMEOUT_MS },
    );
    const { transaction, refund: refunded, replayed } = answer;
    if (transaction === undefined || refunded === undefined) throw new Error('direct-debit answered no refund');
    const data = presentDirectDebitRefund(transaction, refunded);
    const message = data.failed_reason ?? 'The refund has failed';
    return { data, replayed, ...(data.status === 'FAILED' && { failure: refuse('transaction_failed', { message }) }) };
  },
});
