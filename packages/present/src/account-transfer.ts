import { toMoney } from '@gerbang/core';
import type { AccountTransfer } from '@gerbang/proto/gerbang/money_out/v1/money_out';
import { presentStatus } from './transfer.ts';

/** A transfer between a merchant's own accounts, which is free of charge (contract §6). */
export function presentAccountTransfer(transfer: AccountTransfer): object {
  const { amountSen, balanceAfterSen, createdAtMs, processedAtMs } = transfer;
  return {
    transaction_id: transfer.transactionId,
    reference_number: transfer.referenceNumber,
    account_id: transfer.sourceAccountId,
    source_account_id: transfer.sourceAccountId,
    destination_account_id: transfer.destinationAccountId,
    transaction_status: presentStatus(transfer.status),
    gross_amount: toMoney(amountSen),
    fee: toMoney(0n),
    net_amount: toMoney(amountSen),
    balance_after: balanceAfterSen === undefined ? { value: null, currency: null } : toMoney(balanceAfterSen),
    post_timestamp: iso(createdAtMs),
    processed_timestamp: processedAtMs === undefined ? null : iso(processedAtMs),
    note: transfer.note === '' ? null : transfer.note,
  };
}

function iso(ms: bigint): string {
  return new Date(Number(ms)).toISOString();
}
