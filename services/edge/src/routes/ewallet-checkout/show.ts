import type { Handler } from '../../http/route.ts';
import { dataOf } from './create.ts';

/** GET ewallet-checkout/{account_id}/{transaction_id}. Refusals: those of money-in. */
export const showEwalletCheckout: Handler = async ({ ewalletCheckouts }, { caller, params }) => {
  const { account_id: accountId = '', transaction_id: transactionId = '' } = params;
  const { ewalletCheckout } = await ewalletCheckouts.getEwalletCheckout({
    merchantId: caller.merchantId,
    accountId,
    transactionId,
  });
  return { data: dataOf(ewalletCheckout) };
};
