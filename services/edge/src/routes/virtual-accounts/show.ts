import type { Handler } from '../../http/route.ts';
import { dataOf } from './create.ts';

/** GET virtual-accounts/{account_id}/{id}. Refusals: those of money-in. */
export const showVirtualAccount: Handler = async ({ virtualAccounts }, { caller, params }) => {
  const { account_id: accountId = '', id = '' } = params;
  const { virtualAccount } = await virtualAccounts.getVirtualAccount({ merchantId: caller.merchantId, accountId, id });
  return { data: dataOf(virtualAccount) };
};
