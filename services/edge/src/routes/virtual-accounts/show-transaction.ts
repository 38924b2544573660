import { presentVaTransaction, vaTransactionSchema } from '@gerbang/present';
import { z } from 'zod';
import { idInPath, inAccount } from '../../http/fields.ts';
import { operation } from '../../http/operation.ts';

const params = inAccount({ id: idInPath('`id` of the payment.') });

/** GET va-transactions/{account_id}/{id}. Refusals: those of money-in. */
export const showVaTransaction = operation({
  id: 'showVaTransaction',
  summary: 'Show a payment of a virtual account',
  input: z.object({ params }),
  data: vaTransactionSchema,
  refusals: ['transaction_not_found'],
  async handle({ virtualAccounts }, { caller, params: { account_id: accountId, id } }) {
    const { vaTransaction } = await virtualAccounts.getVaTransaction({ merchantId: caller.merchantId, accountId, id });
    if (vaTransaction === undefined) throw new Error('money-in answered no VA transaction');
    return { data: presentVaTransaction(vaTransaction) };
  },
});
