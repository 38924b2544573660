import { presentVaTransaction } from '@gerbang/present';
import type { Handler } from '../../http/route.ts';

/** GET va-transactions/{account_id}/{id}. Refusals: those of money-in. */
export const showVaTransaction: Handler = async ({ virtualAccounts }, { caller, params }) => {
  const { account_id: accountId = '', id = '' } = params;
  const { vaTransaction } = await virtualAccounts.getVaTransaction({ merchantId: caller.merchantId, accountId, id });
  if (vaTransaction === undefined) throw new Error('money-in answered no VA transaction');
  return { data: presentVaTransaction(vaTransaction) };
};
