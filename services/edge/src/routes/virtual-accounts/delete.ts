import { virtualAccountSchema } from '@gerbang/present';
import { z } from 'zod';
import { operation } from '../../http/operation.ts';
import { dataOf } from './create.ts';
import { virtualAccountParams } from './show.ts';

/** DELETE virtual-accounts/{account_id}/{id}: answers it as it now is (contract §5). Refusals: those of money-in. */
export const deleteVirtualAccount = operation({
  id: 'deleteVirtualAccount',
  summary: 'Delete a virtual account',
  description: 'Answers the virtual account as it now is: inactive. It no longer takes payments.',
  input: z.object({ params: virtualAccountParams }),
  data: virtualAccountSchema,
  refusals: ['transaction_not_found', 'frozen'],
  async handle({ virtualAccounts }, { caller, params: { account_id: accountId, id } }) {
    const { virtualAccount } = await virtualAccounts.deleteVirtualAccount({ merchantId: caller.merchantId, accountId, id });
    return { data: dataOf(virtualAccount) };
  },
});
