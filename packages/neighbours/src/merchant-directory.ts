import { isUlid, RefusalError, refuse } from '@gerbang/core';
import type { Account, MerchantService, Profile } from '@gerbang/proto/gerbang/merchant/v1/merchant';
import { AccountStatus, MerchantStatus } from '@gerbang/proto/gerbang/merchant/v1/merchant';
import type { RpcClient } from '@gerbang/rpc';
import type { Closeable, Logger } from '@gerbang/runtime';
import { accountKey, pollVersions, type VersionPoll } from './version-poll.ts';
import { VersionedCache } from './versioned-cache.ts';

/**
 * What a product service knows of merchants and accounts: a cache that asks the merchant service which versions have changed
 * every 3 s, and answers `unavailable` when it has not been able to for 5 s (architecture §3), so that a freeze takes hold
 * everywhere.
 */
export type MerchantDirectory = Closeable & {
  /** Refusals: merchant_not_found, unavailable. */
  profile(merchantId: string): Promise<Profile>;
  /** Refusals: account_not_found, account_of_other_merchant, unavailable. */
  account(merchantId: string, accountId: string): Promise<Account>;
  /**
   * The checks before a command, in the contract's order: product, account, frozen or inactive (contract §2). Refuses with what
   * fails first.
   */
  admit(merchantId: string, product: string, accountId: string): Promise<{ profile: Profile; account: Account }>;
  /** Only the product check. */
  admitProduct(merchantId: string, product: string): Promise<Profile>;
};

export function createMerchantDirectory(options: {
  merchants: RpcClient<typeof MerchantService>;
  log: Logger;
}): MerchantDirectory & Pick<VersionPoll, 'mayHaveChanged'> {
  const { merchants, log } = options;
  const profiles = new VersionedCache<Profile>(async (merchantId) => (await merchants.getProfile({ merchantId })).profile);
  const accounts = new VersionedCache<Account>(async (id) => {
    const [merchantId = '', accountId = ''] = id.split('/');
    return (await merchants.getAccount({ merchantId, accountId })).account;
  });
  const poll = pollVersions({ client: merchants, merchants: profiles, accounts, log });

  const profile = (merchantId: string) => profiles.get(merchantId, 'merchant_not_found');
  const account = (merchantId: string, accountId: string) => {
    if (!isUlid(accountId)) throw new RefusalError(refuse('account_not_found'));
    return accounts.get(accountKey(merchantId, accountId), 'account_not_found');
  };
  const admitProduct = async (merchantId: string, product: string) => {
    const found = await profile(merchantId);
    if (!found.products.includes(product)) throw new RefusalError(refuse('product_not_allowed'));
    return found;
  };
  return {
    profile,
    account,
    admitProduct,
    async admit(merchantId, product, accountId) {
      const found = await admitProduct(merchantId, product);
      const owned = await account(merchantId, accountId);
      if (found.status !== MerchantStatus.ACTIVE || owned.status !== AccountStatus.ACTIVE)
        throw new RefusalError(refuse('frozen'));
      return { profile: found, account: owned };
    },
    mayHaveChanged: poll.mayHaveChanged,
    close: poll.close,
  };
}
