import { retailTransactionSchema } from '@gerbang/present';
import { z } from 'zod';
import { idInPath, inAccount } from '../../http/fields.ts';
import { operation } from '../../http/operation.ts';
import { dataOf } from './create.ts';

const params = inAccount({ transaction_id: idInPath('`transaction_id` of the retail transaction.') });

/** GET retail-transactions/{account_id}/{transaction_id}. Refusals: those of money-in. */
export const showRetailTransaction = operation({
  id: 'showRetailTransaction',
  summary: 'Show a retail transaction',
  description: '422 also for a merchant without access to the product.',
  input: z.object({ params }),
  data: retailTransactionSchema,
  refusals: ['transaction_not_found'],
  async handle({ retail }, { caller, params: { account_id: accountId, transaction_id: transactionId } }) {
    const { retailTransaction } = await retail.getRetailTransaction({ merchantId: caller.merchantId, accountId, transactionId });
    return { data: dataOf(retailTransaction) };
  },
});
