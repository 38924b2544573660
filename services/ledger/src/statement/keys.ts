import { merchantAccount, ownerOf } from '../posting/account.ts';
import type { Leg } from '../posting/posting.ts';

export type EntryType = 'credit' | 'debit';

/** The key of an account's statement, or of its credits or debits alone; what postings are indexed by. */
export function statementKey(merchantId: string, accountId: string, type?: EntryType): string {
  return type === undefined ? `${merchantId}/${accountId}` : `${merchantId}/${accountId}:${type}`;
}

/** All statements that a posting with these legs is an entry of: those of the accounts whose available balance it changes (contract §4). */
export function statementKeys(legs: readonly Leg[]): string[] {
  return legs.flatMap(({ account, sen }) => {
    const owner = ownerOf(account);
    if (owner === undefined || account !== merchantAccount(owner.merchantId, owner.accountId, 'available')) return [];
    const { merchantId, accountId } = owner;
    return [statementKey(merchantId, accountId), statementKey(merchantId, accountId, sen > 0n ? 'credit' : 'debit')];
  });
}
