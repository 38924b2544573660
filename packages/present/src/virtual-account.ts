import { findBankByShortName, toMoney } from '@gerbang/core';
import {
  AmountType,
  type VaTransaction,
  type VirtualAccount,
  VirtualAccountKind,
} from '@gerbang/proto/gerbang/money_in/v1/money_in';
import { statusWord, VIRTUAL_ACCOUNT_WORDS } from './payable-status.ts';
import { iso } from './time.ts';

/** A virtual account as the merchant's API shows it (merchant-api.md, virtual account). */
export function presentVirtualAccount(account: VirtualAccount): object {
  return {
    id: account.id,
    account_id: account.accountId,
    number: account.number,
    code: `VA_${account.bankCode}`,
    bank: presentBank(account.bankCode),
    amount: toMoney(account.amountSen),
    min_amount: toMoney(account.minAmountSen),
    max_amount: toMoney(account.maxAmountSen),
    amount_type: account.amountType === AmountType.OPEN ? 'open' : 'closed',
    status: statusWord(VIRTUAL_ACCOUNT_WORDS, account.status),
    kind: account.kind === VirtualAccountKind.PERMANENT ? 'permanent' : 'temporary',
    current_usage: account.currentUsage,
    max_usage: account.maxUsage ?? null,
    expired_at: account.expiredAtMs === undefined ? null : Number(account.expiredAtMs),
    name: account.name,
    merchant_reff_no: account.merchantReffNo,
    created_at: iso(account.createdAtMs),
    updated_at: iso(account.updatedAtMs),
  };
}

/** One payment of a virtual account (contract §5). */
export function presentVaTransaction(transaction: VaTransaction): object {
  const { figures } = transaction;
  if (figures === undefined) throw new Error(`the VA transaction ${transaction.id} has no figures`);
  return {
    id: transaction.id,
    account_id: transaction.accountId,
    virtual_account_id: transaction.virtualAccountId,
    number: transaction.number,
    bank: presentBank(transaction.bankCode),
    amount: toMoney(figures.amountSen),
    fee: toMoney(figures.feeSen),
    net_amount: toMoney(figures.netSen),
    status: 'success',
    merchant_reff_no: transaction.merchantReffNo,
    paid_at: iso(figures.paidAtMs),
    has_settle: figures.settledAtMs !== undefined,
    settle_at: iso(figures.settledAtMs ?? figures.settleAtMs),
  };
}

function presentBank(code: string): object {
  const bank = findBankByShortName(code);
  if (bank === undefined) throw new Error(`there is no bank ${code}`);
  return { short_name: bank.shortName, number: bank.nationalCode, swift_code: bank.swiftCode };
}
