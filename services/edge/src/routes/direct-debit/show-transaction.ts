import { directDebitTransactionSchema, presentDirectDebitTransaction } from '@gerbang/present';
import { z } from 'zod';
import { operation } from '../../http/operation.ts';
import { transactionInPath } from './fields.ts';

/** GET /api/v2.0/direct-debit/transaction/{transaction_id} (contract §8): with its refunds. Refusals: those of direct-debit. */
export const showTransaction = operation({
  id: 'showDirectDebitTransaction',
  summary: 'Show a charge with its refunds',
  input: z.object({ params: z.object({ transaction_id: transactionInPath }) }),
  data: directDebitTransactionSchema,
  refusals: ['transaction_not_found'],
  async handle({ directDebits }, { caller, params: { transaction_id: transactionId } }) {
    const { transaction } = await directDebits.getTransaction({ merchantId: caller.merchantId, transactionId });
    if (transaction === undefined) throw new Error('direct-debit answered no charge');
    return { data: presentDirectDebitTransaction(transaction) };
  },
});
