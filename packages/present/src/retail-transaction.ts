import { toMoney } from '@gerbang/core';
import type { RetailTransaction } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import { RETAIL_WORDS, statusWord } from './payable-status.ts';

/** A retail transaction: its timestamps are Unix milliseconds (merchant-api.md, retail transaction). */
export function presentRetailTransaction(transaction: RetailTransaction): object {
  const { figures } = transaction;
  return {
    transaction_id: transaction.transactionId,
    payment_code: transaction.paymentCode,
    status: statusWord(RETAIL_WORDS, transaction.status),
    retail_code: transaction.retailCode,
    amount: toMoney(transaction.amountSen),
    net_amount: figures === undefined ? null : toMoney(figures.netSen),
    customer_name: transaction.customerName,
    merchant_reff_no: transaction.merchantReffNo === '' ? null : transaction.merchantReffNo,
    account: { id: transaction.accountId },
    fees: { amount: toMoney(figures?.feeSen ?? 0n) },
    post_timestamp: Number(transaction.createdAtMs),
    processed_timestamp: figures === undefined ? null : Number(figures.paidAtMs),
    expired_at: Number(transaction.expiredAtMs),
    settle_at: figures?.settledAtMs === undefined ? null : Number(figures.settledAtMs),
    has_settle: figures?.settledAtMs !== undefined,
  };
}
