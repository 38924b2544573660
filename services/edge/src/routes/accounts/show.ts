import { presentAccount } from '@gerbang/present';
import type { Account } from '@gerbang/proto/gerbang/merchant/v1/merchant';
import type { Handler } from '../../http/route.ts';

/** GET accounts/{account_id} (contract §4), as it is now. Refusals: those of the account. */
export const showAccount: Handler = async ({ merchants }, { caller, params }) => {
  const { account } = await merchants.getAccount({ merchantId: caller.merchantId, accountId: params.account_id ?? '' });
  return { data: dataOf(account) };
};

/** An account that must be in the merchant service's answer. */
export function dataOf(account: Account | undefined): object {
  if (account === undefined) throw new Error('the merchant service answered no account');
  return presentAccount(account);
}
