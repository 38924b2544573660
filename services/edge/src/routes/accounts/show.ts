import { type AccountJson, accountSchema, presentAccount } from '@gerbang/present';
import type { Account } from '@gerbang/proto/gerbang/merchant/v1/merchant';
import { z } from 'zod';
import { ofAccount } from '../../http/fields.ts';
import { operation } from '../../http/operation.ts';

/** GET accounts/{account_id} (contract §4), as it is now. Refusals: those of the account. */
export const showAccount = operation({
  id: 'showAccount',
  summary: 'Show an account',
  input: z.object({ params: ofAccount }),
  data: accountSchema,
  async handle({ merchants }, { caller, params }) {
    const { account } = await merchants.getAccount({ merchantId: caller.merchantId, accountId: params.account_id });
    return { data: dataOf(account) };
  },
});

/** An account that must be in the merchant service's answer. */
export function dataOf(account: Account | undefined): AccountJson {
  if (account === undefined) throw new Error('the merchant service answered no account');
  return presentAccount(account);
}
