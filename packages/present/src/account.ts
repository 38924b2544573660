import { type Account, AccountStatus } from '@gerbang/proto/gerbang/merchant/v1/merchant';
import { z } from 'zod';
import { Timestamp, Ulid } from './schemas.ts';
import { textOrNull } from './text.ts';
import { iso } from './time.ts';

const statuses = {
  active: AccountStatus.ACTIVE,
  inactive: AccountStatus.INACTIVE,
  frozen: AccountStatus.FROZEN,
} as const;

export const accountSchema = z
  .strictObject({
    id: Ulid,
    name: z.string(),
    status: z
      .enum(['active', 'inactive', 'frozen'])
      .meta({ description: 'An account that is inactive or frozen refuses new transactions.' }),
    merchant_reff_no: z.string().nullable().meta({ description: "The merchant's own reference." }),
    is_default: z.boolean().meta({ description: 'Whether requests that name no account mean this one.' }),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'Account', description: 'An account of the merchant, with a balance of its own.' });

export type AccountJson = z.output<typeof accountSchema>;

/** A merchant's account as its API shows it (contract §4). */
export function presentAccount(account: Account): AccountJson {
  return {
    id: account.accountId,
    name: account.name,
    status: nameOf(account.status),
    merchant_reff_no: textOrNull(account.merchantReffNo),
    is_default: account.isDefault,
    created_at: iso(account.createdAtMs),
    updated_at: iso(account.updatedAtMs),
  };
}

/** The status of this name, for list filters and changes; undefined when there is none. */
export function accountStatusOf(name: string): AccountStatus | undefined {
  return Object.entries(statuses).find(([known]) => known === name)?.[1];
}

function nameOf(status: AccountStatus): AccountJson['status'] {
  switch (status) {
    case AccountStatus.ACTIVE:
      return 'active';
    case AccountStatus.INACTIVE:
      return 'inactive';
    case AccountStatus.FROZEN:
      return 'frozen';
    case AccountStatus.UNSPECIFIED:
      throw new Error('an account has no status');
    default:
      return status satisfies never;
  }
}
