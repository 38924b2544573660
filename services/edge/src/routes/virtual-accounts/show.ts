import { virtualAccountSchema } from '@gerbang/present';
import { z } from 'zod';
import { idInPath, inAccount } from '../../http/fields.ts';
import { operation } from '../../http/operation.ts';
import { dataOf } from './create.ts';

/** Parameters of a path that names a virtual account. */
export const virtualAccountParams = inAccount({ id: idInPath('`id` of the virtual account.') });

/** GET virtual-accounts/{account_id}/{id}. Refusals: those of money-in. */
export const showVirtualAccount = operation({
  id: 'showVirtualAccount',
  summary: 'Show a virtual account',
  input: z.object({ params: virtualAccountParams }),
  data: virtualAccountSchema,
  refusals: ['transaction_not_found'],
  async handle({ virtualAccounts }, { caller, params: { account_id: accountId, id } }) {
    const { virtualAccount } = await virtualAccounts.getVirtualAccount({ merchantId: caller.merchantId, accountId, id });
    return { data: dataOf(virtualAccount) };
  },
});
