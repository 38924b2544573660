import { isRefusal, type Refusal, refuse } from '@gerbang/core';
import {
  FEE_INCOME,
  isReceivable,
  isSystemAccount,
  merchantAccount,
  railAccount,
  suspenseAccount,
  VENDOR_FEES,
} from './account.ts';
import type { Leg, Posting, Result } from './posting.ts';

/** Balances are stored as int64. */
const BALANCE_MAX_SEN = 2n ** 63n - 1n;

/** Balance of a ledger account, sen; zero for one that nothing has touched. */
export type BalanceOf = (account: string) => bigint;

/**
 * The rules of the ledger: which entries an intent makes, and whether the balances allow them (architecture §4). Refusals:
 * insufficient_balance (more than is available), internal (more than is held or pending: the services that hold, credit and
 * settle never ask for that, so it is a programmer's error), account_limit (a balance beyond int64). `availableAfterSen` is of
 * `accountId`, the source of a transfer.
 */
export function decide(posting: Posting, balanceOf: BalanceOf): { legs: readonly Leg[]; result: Result } {
  const legs = legsOf(posting, balanceOf);
  const available = merchantAccount(posting.merchantId, posting.accountId, 'available');
  const refusal = firstRefusal(posting, legs, available, balanceOf);
  if (isRefusal(refusal)) return { legs: [], result: { refused: refusal.refused, message: refusal.message } };
  const change = legs.find((leg) => leg.account === available)?.sen ?? 0n;
  return { legs, result: { availableAfterSen: balanceOf(available) + change } };
}

/**
 * The entries of an intent; each account occurs once, none with zero, and they sum up to zero. Balances decide only what of a
 * chargeback the account owes, and what of a settlement repays it.
 */
export function legsOf(posting: Posting, balanceOf: BalanceOf): Leg[] {
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
    case 'capture':
      return [{ account: held, sen: -grossSen }, { account: railAccount(posting.rail), sen: amountSen }, ...feeLegs(posting)];
    case 'release':
      return [
        { account: held, sen: -grossSen },
        { account: available, sen: grossSen },
      ];
    case 'credit':
      return [
        { account: posting.fromSuspense ? suspenseAccount(posting.rail) : railAccount(posting.rail), sen: -grossSen },
        ...(amountSen === 0n ? [] : [{ account: sideOf(posting), sen: amountSen }]),
        ...feeLegs(posting),
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
        ...repayingLegs(posting, amountSen, balanceOf),
      ];
    case 'refund':
      return refundLegs(posting, available);
    case 'compensate':
      return compensationLegs(posting);
    case 'reserve':
      return reservingLegs(posting, balanceOf);
    case 'restore':
      return [
        { account: merchantAccount(posting.merchantId, posting.accountId, 'reserve'), sen: -grossSen },
        ...repayingLegs(posting, grossSen, balanceOf),
      ];
    case 'forfeit':
      return [
        { account: merchantAccount(posting.merchantId, posting.accountId, 'reserve'), sen: -grossSen },
        { account: railAccount(posting.rail), sen: amountSen },
        ...feeLegs(posting),
      ];
    default:
      return posting.intent satisfies never;
  }
}

/** What comes to available repays first what the account owes. */
function repayingLegs({ merchantId, accountId }: Posting, sen: bigint, balanceOf: BalanceOf): Leg[] {
  const available = merchantAccount(merchantId, accountId, 'available');
  const owed = merchantAccount(merchantId, accountId, 'owed');
  const owedSen = -balanceOf(owed);
  if (owedSen <= 0n) return [{ account: available, sen }];
  if (owedSen >= sen) return [{ account: owed, sen }];
  return [
    { account: owed, sen: owedSen },
    { account: available, sen: sen - owedSen },
  ];
}

/** A chargeback is never refused: what available is short of is owed. */
function reservingLegs({ merchantId, accountId, amountSen, feeSen }: Posting, balanceOf: BalanceOf): Leg[] {
  const available = merchantAccount(merchantId, accountId, 'available');
  const grossSen = amountSen + feeSen;
  const availableSen = balanceOf(available);
  const takenSen = availableSen < grossSen ? availableSen : grossSen;
  const legs = [
    { account: available, sen: -takenSen },
    { account: merchantAccount(merchantId, accountId, 'owed'), sen: takenSen - grossSen },
    { account: merchantAccount(merchantId, accountId, 'reserve'), sen: grossSen },
  ];
  return legs.filter(({ sen }) => sen !== 0n);
}

/** Who paid gets the gross amount back. Pending has only the net amount of a payment, so the fee comes from available there. */
function refundLegs(posting: Posting, available: string): Leg[] {
  const { amountSen, feeSen } = posting;
  const back = { account: railAccount(posting.rail), sen: amountSen + feeSen };
  if (posting.side !== 'pending' || feeSen === 0n) return [{ account: sideOf(posting), sen: -amountSen - feeSen }, back];
  return [{ account: sideOf(posting), sen: -amountSen }, { account: available, sen: -feeSen }, back];
}

function compensationLegs(posting: Posting): Leg[] {
  const { amountSen, feeSen } = posting;
  const [side, rail] = [sideOf(posting), railAccount(posting.rail)];
  switch (posting.compensation) {
    case 'payout-returned':
      return [{ account: rail, sen: -amountSen }, ...feeLegs(posting, -1n), { account: side, sen: amountSen + feeSen }];
    case 'payout-made':
      return [{ account: side, sen: -amountSen - feeSen }, { account: rail, sen: amountSen }, ...feeLegs(posting)];
    case 'payment-withdrawn':
      return [
        ...(amountSen === 0n ? [] : [{ account: side, sen: -amountSen }]),
        ...feeLegs(posting, -1n),
        { account: rail, sen: amountSen + feeSen },
      ];
    case '':
      throw new Error(`posting ${posting.key} compensates nothing`);
    default:
      return posting.compensation satisfies never;
  }
}

function sideOf({ side, merchantId, accountId, rail }: Posting): string {
  return side === 'suspense' ? suspenseAccount(rail) : merchantAccount(merchantId, accountId, side);
}

/** What of the fee stays and what goes on to the vendor; `sign` is −1 where they are given back. */
function feeLegs({ feeSen, vendorFeeSen }: Posting, sign: 1n | -1n = 1n): Leg[] {
  const parts = [
    { account: FEE_INCOME, sen: sign * (feeSen - vendorFeeSen) },
    { account: VENDOR_FEES, sen: sign * vendorFeeSen },
  ];
  return parts.filter(({ sen }) => sen !== 0n);
}

function firstRefusal(posting: Posting, legs: readonly Leg[], available: string, balanceOf: BalanceOf): Refusal | undefined {
  for (const { account, sen } of legs) {
    const afterSen = balanceOf(account) + sen;
    if (afterSen > BALANCE_MAX_SEN || afterSen < -BALANCE_MAX_SEN) return refuse('account_limit');
    if (afterSen >= 0n || sen >= 0n || isSystemAccount(account) || isReceivable(account)) continue;
    if (account === available) return refuse('insufficient_balance');
    const compartment = account.slice(account.lastIndexOf(':') + 1);
    return refuse('internal', { message: `${posting.intent} of more than is ${compartment}` });
  }
  return undefined;
}
