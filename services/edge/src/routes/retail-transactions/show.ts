import type { Handler } from '../../http/route.ts';
import { dataOf } from './create.ts';

/** GET retail-transactions/{account_id}/{transaction_id}. Refusals: those of money-in. */
export const showRetailTransaction: Handler = async ({ retail }, { caller, params }) => {
  const { account_id: accountId = '', transaction_id: transactionId = '' } = params;
  const { retailTransaction } = await retail.getRetailTransaction({ merchantId: caller.merchantId, accountId, transactionId });
  return { data: dataOf(retailTransaction) };
};
