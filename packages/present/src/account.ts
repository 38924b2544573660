import { type Account, AccountStatus } from '@gerbang/proto/gerbang/merchant/v1/merchant';

const statuses = {
  active: AccountStatus.ACTIVE,
  inactive: AccountStatus.INACTIVE,
  frozen: AccountStatus.FROZEN,
} as const;

/** A merchant's account as its API shows it (contract §4). */
export function presentAccount(account: Account): object {
  return {
    id: account.accountId,
    name: account.name,
    status: nameOf(account.status),
    merchant_reff_no: account.merchantReffNo === '' ? null : account.merchantReffNo,
    is_default: account.isDefault,
    created_at: iso(account.createdAtMs),
    updated_at: iso(account.updatedAtMs),
  };
}

/** The status of this name, for list filters and changes; undefined when there is none. */
export function accountStatusOf(name: string): AccountStatus | undefined {
  return Object.entries(statuses).find(([known]) => known === name)?.[1];
}

function nameOf(status: AccountStatus): string {
  const found = Object.entries(statuses).find(([, known]) => known === status);
  if (found === undefined) throw new Error('an account has no status');
  return found[0];
}

function iso(ms: bigint): string {
  return new Date(Number(ms)).toISOString();
}
