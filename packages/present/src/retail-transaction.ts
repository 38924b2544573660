import { RETAIL_CODES, toMoney } from '@gerbang/core';
import type { RetailTransaction } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import { z } from 'zod';
import { RETAIL_WORDS, statusWord } from './payable-status.ts';
import { Money, RetailCode, RetailStatus, Ulid, UnixMilliseconds } from './schemas.ts';
import { textOrNull, wordOf } from './text.ts';

export const retailTransactionSchema = z
  .strictObject({
    transaction_id: Ulid,
    payment_code: z
      .string()
      .regex(/^[0-9]{16}$/)
      .meta({ description: 'What the customer shows at the till.', examples: ['8610380324582288'] }),
    status: RetailStatus,
    retail_code: RetailCode,
    amount: Money,
    net_amount: Money.nullable().meta({ description: 'amount minus the fee; null until paid.' }),
    customer_name: z.string(),
    merchant_reff_no: z.string().nullable().meta({ description: "The merchant's own reference." }),
    account: z.strictObject({ id: Ulid }),
    fees: z.strictObject({ amount: Money }).meta({ description: '0.00 until paid.' }),
    post_timestamp: UnixMilliseconds.meta({ description: 'When it was created.' }),
    processed_timestamp: UnixMilliseconds.nullable().meta({ description: 'When it was paid; null until then.' }),
    expired_at: UnixMilliseconds,
    settle_at: UnixMilliseconds.nullable().meta({ description: 'When it has settled; null until then.' }),
    has_settle: z.boolean().meta({ description: 'Whether the net amount is available.' }),
  })
  .meta({ id: 'RetailTransaction', description: 'A code that a customer pays in cash at a shop.' });

export type RetailTransactionJson = z.output<typeof retailTransactionSchema>;

/** A retail transaction: its timestamps are Unix milliseconds (merchant-api.md, retail transaction). */
export function presentRetailTransaction(transaction: RetailTransaction): RetailTransactionJson {
  const { figures } = transaction;
  return {
    transaction_id: transaction.transactionId,
    payment_code: transaction.paymentCode,
    status: statusWord(RETAIL_WORDS, transaction.status),
    retail_code: wordOf(RETAIL_CODES, transaction.retailCode, 'retail chain'),
    amount: toMoney(transaction.amountSen),
    net_amount: figures === undefined ? null : toMoney(figures.netSen),
    customer_name: transaction.customerName,
    merchant_reff_no: textOrNull(transaction.merchantReffNo),
    account: { id: transaction.accountId },
    fees: { amount: toMoney(figures?.feeSen ?? 0n) },
    post_timestamp: Number(transaction.createdAtMs),
    processed_timestamp: figures === undefined ? null : Number(figures.paidAtMs),
    expired_at: Number(transaction.expiredAtMs),
    settle_at: figures?.settledAtMs === undefined ? null : Number(figures.settledAtMs),
    has_settle: figures?.settledAtMs !== undefined,
  };
}
