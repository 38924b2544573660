import { isRefusal, type Refusal, refuse } from '@gerbang/core';
import { FEE_INCOME, isSystemAccount, merchantAccount, railAccount } from './account.ts';
import type { Leg, Posting, Result } from './posting.ts';

/** Balances are stored as int64. */
const BALANCE_MAX_SEN = 2n ** 63n - 1n;

/** Balance of a ledger account, sen; zero for one that nothing has touched. */
export type BalanceOf = (account: string) => bigint;

/**
 * The rules of the ledger: which entries an intent makes, and whether the balances allow them (architecture §4).
 * Refusals: insufficient_balance (a hold or transfer of more than is available), internal (a capture or release of more than is held, a settlement of
 * more than is pending: the services that hold and settle never do that, so it is a programmer's error), account_limit (a balance beyond int64).
 * `availableAfterSen` is of `accountId`, the source of a transfer.
 */
export function decide(posting: Posting, balanceOf: BalanceOf): { legs: readonly Leg[]; result: Result } {
  const legs = legsOf(posting);
  const refusal = firstRefusal(posting, legs, balanceOf);
  if (isRefusal(refusal)) return { legs: [], result: { refused: refusal.refused, message: refusal.message } };
  const available = merchantAccount(posting.merchantId, posting.accountId, 'available');
  const change = legs.find((leg) => leg.account === available)?.sen ?? 0n;
  return { legs, result: { availableAfterSen: balanceOf(available) + change } };
}

/** The entries of an intent; each account occurs once, and they sum up to zero. */
export function legsOf(posting: Posting): Leg[] {
  const { amountSen, feeSen } = posting;
  const available = merchantAccount(posting.merchantId, posting.accountId, 'available');
  const held = merchantAccount(posting.merchantId, posting.accountId, 'held');
  const grossSen = amountSen + feeSen;
  switch (posting.intent) {
    case 'hold':
      return [
        { account: available, sen: -grossSen },
        { account: held, sen: grossSen },
      ];
    case 'capture': {
      const legs = [
        { account: held, sen: -grossSen },
        { account: railAccount(posting.rail), sen: amountSen },
      ];
      return feeSen === 0n ? legs : [...legs, { account: FEE_INCOME, sen: feeSen }];
    }
    case 'release':
      return [
        { account: held, sen: -grossSen },
        { account: available, sen: grossSen },
      ];
    case 'credit':
      return [
        { account: railAccount(posting.rail), sen: -amountSen },
        { account: available, sen: amountSen },
      ];
    case 'transfer':
      return [
        { account: available, sen: -amountSen },
        { account: merchantAccount(posting.merchantId, posting.destinationAccountId, 'available'), sen: amountSen },
      ];
    case 'settle':
      // The fee was taken when the money came in; here it is only told to the settlement listing.
      return [
        { account: merchantAccount(posting.merchantId, posting.accountId, 'pending'), sen: -amountSen },
        { account: available, sen: amountSen },
      ];
    default:
      return posting.intent satisfies never;
  }
}

function firstRefusal(posting: Posting, legs: readonly Leg[], balanceOf: BalanceOf): Refusal | undefined {
  for (const { account, sen } of legs) {
    const afterSen = balanceOf(account) + sen;
    if (afterSen > BALANCE_MAX_SEN || afterSen < -BALANCE_MAX_SEN) return refuse('account_limit');
    if (afterSen >= 0n || sen >= 0n || isSystemAccount(account)) continue;
    if (posting.intent === 'hold' || posting.intent === 'transfer') return refuse('insufficient_balance');
    return refuse('internal', {
      message: `${posting.intent} of more than is ${posting.intent === 'settle' ? 'pending' : 'held'}`,
    });
  }
  return undefined;
}
