import { RefusalError, refuse } from '@gerbang/core';
import type { GetAccountRequest } from '@gerbang/proto/gerbang/merchant/v1/merchant';
import type { Context } from '../../context.ts';
import { toMessage } from '../message.ts';
import type { StoredAccount } from '../store.ts';

/** One account of the merchant. Refusals: account_not_found, account_of_other_merchant. */
export async function getAccount(context: Context, { merchantId, accountId }: GetAccountRequest) {
  const { id, version, account } = await ownAccount(context, merchantId, accountId);
  return { account: toMessage(id, merchantId, version, account) };
}

/** The account, if it is this merchant's. Refusals: account_not_found, account_of_other_merchant. */
export async function ownAccount({ accounts }: Context, merchantId: string, accountId: string): Promise<StoredAccount> {
  const stored = await accounts.find(accountId);
  if (stored === undefined) throw new RefusalError(refuse('account_not_found'));
  if (stored.merchantId !== merchantId) throw new RefusalError(refuse('account_of_other_merchant'));
  return stored;
}
