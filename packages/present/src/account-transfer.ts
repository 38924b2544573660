import { toMoney } from '@gerbang/core';
import type { AccountTransfer } from '@gerbang/proto/gerbang/money_out/v1/money_out';
import { z } from 'zod';
import { Money, MoneyOrNull, PossibleDuplicateOf, ReferenceNumber, Timestamp, TransactionStatus, Ulid } from './schemas.ts';
import { textOrNull } from './text.ts';
import { iso, isoOrNull } from './time.ts';
import { presentBalanceAfter, presentStatus } from './transfer.ts';

export const accountTransferSchema = z
  .strictObject({
    transaction_id: Ulid,
    reference_number: ReferenceNumber,
    account_id: Ulid.meta({ description: 'The same as source_account_id.' }),
    source_account_id: Ulid,
    destination_account_id: Ulid,
    transaction_status: TransactionStatus,
    gross_amount: Money,
    fee: Money.meta({ description: '0.00: these transfers are free of charge.' }),
    net_amount: Money,
    balance_after: MoneyOrNull.meta({
      description: 'The available balance of the source account; null values until it is done.',
    }),
    possible_duplicate_of: PossibleDuplicateOf,
    post_timestamp: Timestamp.meta({ description: 'When it was created.' }),
    processed_timestamp: Timestamp.nullable().meta({ description: 'When both accounts moved; null until then.' }),
    note: z.string().nullable(),
  })
  .meta({ id: 'AccountTransfer', description: "A transfer between the merchant's own accounts." });

export type AccountTransferJson = z.output<typeof accountTransferSchema>;

/** A transfer between a merchant's own accounts, which is free of charge (contract §6). */
export function presentAccountTransfer(transfer: AccountTransfer): AccountTransferJson {
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
    balance_after: presentBalanceAfter(balanceAfterSen),
    possible_duplicate_of: textOrNull(transfer.possibleDuplicateOf),
    post_timestamp: iso(createdAtMs),
    processed_timestamp: isoOrNull(processedAtMs),
    note: textOrNull(transfer.note),
  };
}
