import { merchantAccount, ownerOf } from '../posting/account.ts';
import type { Leg } from '../posting/posting.ts';

export const ENTRY_TYPES = ['credit', 'debit'] as const;
export type EntryType = (typeof ENTRY_TYPES)[number];

/**
 * The key of the credits or debits of an account's statement; what postings are indexed by. A whole statement is both, merged as
 * it is read.
 */
export function statementKey(merchantId: string, accountId: string, type: EntryType): string {
  return `${merchantId}/${accountId}:${type}`;
}

/**
 * All statements that a posting with these legs is an entry of: those of the accounts whose available balance it changes
 * (contract §4).
 */
export function statementKeys(legs: readonly Leg[]): string[] {
  return legs.flatMap(({ account, sen }) => {
    const owner = ownerOf(account);
    if (owner === undefined || account !== merchantAccount(owner.merchantId, owner.accountId, 'available')) return [];
    const { merchantId, accountId } = owner;
    return [statementKey(merchantId, accountId, sen > 0n ? 'credit' : 'debit')];
  });
}
