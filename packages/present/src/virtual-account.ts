import { toMoney, VA_BANK_CODES, type VaBankCode, vaBank } from '@gerbang/core';
import {
  AmountType,
  type VaTransaction,
  type VirtualAccount,
  VirtualAccountKind,
} from '@gerbang/proto/gerbang/money_in/v1/money_in';
import { z } from 'zod';
import { statusWord, VIRTUAL_ACCOUNT_WORDS } from './payable-status.ts';
import { BankShortName, Money, Timestamp, Ulid, UnixMilliseconds, VirtualAccountStatus } from './schemas.ts';
import { wordOf } from './text.ts';
import { iso } from './time.ts';

const number = z
  .string()
  .regex(/^[0-9]{16,18}$/)
  .meta({ description: 'What the customer transfers to.', examples: ['7001412345678901'] });

const bankSchema = z
  .strictObject({
    short_name: BankShortName,
    number: z
      .string()
      .regex(/^[0-9]{3}$/)
      .meta({ description: 'The national code of the bank.', examples: ['014'] }),
    swift_code: z
      .string()
      .regex(/^[A-Z]{6}[A-Z0-9]{2}$/)
      .meta({ examples: ['CENAIDJA'] }),
  })
  .meta({ id: 'Bank', description: 'The bank of a virtual account.' });

export const virtualAccountSchema = z
  .strictObject({
    id: Ulid,
    account_id: Ulid,
    number,
    code: z.templateLiteral(['VA_', BankShortName]).meta({ description: 'The product code.', examples: ['VA_BCA'] }),
    bank: bankSchema,
    amount: Money.meta({ description: 'What a closed virtual account takes; 0.00 of an open one.' }),
    min_amount: Money.meta({ description: 'The least that it takes; of a closed one its amount.' }),
    max_amount: Money.meta({ description: 'The most that it takes; of a closed one its amount.' }),
    amount_type: z.enum(['open', 'closed']).meta({ description: 'closed: the exact amount only; open: within its bounds.' }),
    status: VirtualAccountStatus,
    kind: z.enum(['temporary', 'permanent']),
    current_usage: z.int().nonnegative().meta({ description: 'How often it has been paid.' }),
    max_usage: z.int().min(1).max(255).nullable().meta({ description: 'How often it may be paid; null if unlimited.' }),
    expired_at: UnixMilliseconds.nullable().meta({ description: 'When it expires; null if never.' }),
    name: z.string(),
    merchant_reff_no: z.string().meta({ description: "The merchant's own reference." }),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'VirtualAccount', description: 'A number at a bank that customers transfer to.' });

export type VirtualAccountJson = z.output<typeof virtualAccountSchema>;

/** A virtual account as the merchant's API shows it (merchant-api.md, virtual account). */
export function presentVirtualAccount(account: VirtualAccount): VirtualAccountJson {
  const bankCode = bankCodeOf(account.bankCode);
  return {
    id: account.id,
    account_id: account.accountId,
    number: account.number,
    code: `VA_${bankCode}`,
    bank: presentBank(bankCode),
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

export const vaTransactionSchema = z
  .strictObject({
    id: Ulid,
    account_id: Ulid,
    virtual_account_id: Ulid,
    number,
    bank: bankSchema,
    amount: Money.meta({ description: 'What the customer has paid.' }),
    fee: Money,
    net_amount: Money.meta({ description: 'amount minus fee.' }),
    status: z.literal('success'),
    merchant_reff_no: z.string().meta({ description: 'The reference of the virtual account.' }),
    paid_at: Timestamp,
    has_settle: z.boolean().meta({ description: 'Whether the net amount is available.' }),
    settle_at: Timestamp.meta({ description: 'When it has settled, or will.' }),
  })
  .meta({ id: 'VaTransaction', description: 'One payment of a virtual account.' });

export type VaTransactionJson = z.output<typeof vaTransactionSchema>;

/** One payment of a virtual account (contract §5). */
export function presentVaTransaction(transaction: VaTransaction): VaTransactionJson {
  const { figures } = transaction;
  if (figures === undefined) throw new Error(`the VA transaction ${transaction.id} has no figures`);
  return {
    id: transaction.id,
    account_id: transaction.accountId,
    virtual_account_id: transaction.virtualAccountId,
    number: transaction.number,
    bank: presentBank(bankCodeOf(transaction.bankCode)),
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

function bankCodeOf(code: string): VaBankCode {
  return wordOf(VA_BANK_CODES, code, 'bank');
}

function presentBank(code: VaBankCode): z.output<typeof bankSchema> {
  const { nationalCode, swiftCode } = vaBank(code);
  return { short_name: code, number: nationalCode, swift_code: swiftCode };
}
