import type { Handler } from '../../http/route.ts';
import { dataOf } from './create.ts';

/** DELETE virtual-accounts/{account_id}/{id}: answers it as it now is (contract §5). Refusals: those of money-in. */
export const deleteVirtualAccount: Handler = async ({ virtualAccounts }, { caller, params }) => {
  const { account_id: accountId = '', id = '' } = params;
  const { virtualAccount } = await virtualAccounts.deleteVirtualAccount({ merchantId: caller.merchantId, accountId, id });
  return { data: dataOf(virtualAccount) };
};
