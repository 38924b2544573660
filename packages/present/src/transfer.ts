import { type Money as MoneyJson, toMoney } from '@gerbang/core';
import { type Transfer, TransferStatus } from '@gerbang/proto/gerbang/money_out/v1/money_out';
import { z } from 'zod';
import {
  BankAccountNumber,
  BankCode,
  Money,
  MoneyOrNull,
  PossibleDuplicateOf,
  ReferenceNumber,
  Timestamp,
  TransactionStatus,
  Ulid,
  UnixMillisecondsText,
} from './schemas.ts';
import { textOrNull } from './text.ts';
import { iso, isoOrNull } from './time.ts';

type TransactionStatusJson = z.output<typeof TransactionStatus>;

/** Transaction status codes of merchant-api.md. */
const statuses: Record<TransferStatus, TransactionStatusJson> = {
  [TransferStatus.UNSPECIFIED]: { code: '07', desc: 'Not Found' },
  [TransferStatus.SUCCESS]: { code: '00', desc: 'Success' },
  [TransferStatus.INITIATED]: { code: '01', desc: 'Initiated' },
  [TransferStatus.PAYING]: { code: '02', desc: 'Paying' },
  [TransferStatus.PENDING]: { code: '03', desc: 'Pending' },
  [TransferStatus.REFUNDED]: { code: '04', desc: 'Refunded' },
  [TransferStatus.CANCELED]: { code: '05', desc: 'Canceled' },
  [TransferStatus.FAILED]: { code: '06', desc: 'Failed' },
};

/** The status whose two-digit code this is, for list filters; undefined when there is none. */
export function transferStatusOf(code: string): TransferStatus | undefined {
  const found = Object.entries(statuses).find(([, status]) => status.code === code);
  return found === undefined || code === '07' ? undefined : Number(found[0]);
}

/** A status as `transaction_status` shows it. */
export function presentStatus(status: TransferStatus): TransactionStatusJson {
  return statuses[status];
}

/** The available balance after a transaction; null values where there is none. */
export function presentBalanceAfter(sen: bigint | undefined): MoneyJson | { value: null; currency: null } {
  return sen === undefined ? { value: null, currency: null } : toMoney(sen);
}

/** Fields that every money-out product has; answers and webhooks write their times differently. */
function transferFields<Posted extends z.ZodType, Processed extends z.ZodType>(posted: Posted, processed: Processed) {
  return {
    transaction_id: Ulid,
    reference_number: ReferenceNumber,
    account_id: Ulid,
    transaction_status: TransactionStatus,
    gross_amount: Money.meta({ description: 'net_amount and fee: what is taken from the account.' }),
    fee: Money,
    net_amount: Money.meta({ description: 'What the beneficiary receives.' }),
    balance_after: MoneyOrNull.meta({
      description:
        'The available balance after the amount was held; null values where the transfer is initiated, failed or canceled.',
    }),
    possible_duplicate_of: PossibleDuplicateOf,
    post_timestamp: posted,
    processed_timestamp: processed,
    failed_code: z.string().optional().meta({ description: 'Why it has failed; of a failed one only.' }),
    failed_reason: z.string().optional().meta({ description: 'The same in words; of a failed one only.' }),
  };
}

/** The fields of every money-out product in REST answers. */
export const moneyOutFields = transferFields(
  Timestamp.meta({ description: 'When it was created.' }),
  Timestamp.nullable().meta({ description: 'When it came to its final status; null until then.' }),
);

/** The same in webhooks. */
export const moneyOutFieldsOfWebhook = transferFields(
  UnixMillisecondsText.meta({ description: 'When it was created.' }),
  z
    .union([UnixMillisecondsText, z.literal('')])
    .meta({ description: 'When it came to its final status; empty if it was never paid.' }),
);

const bankFields = {
  bank_code: BankCode,
  bank_name: z.string(),
  bank_account_number: BankAccountNumber,
  bank_account_name: z.string().nullable().meta({ description: 'The name of the beneficiary as the request had it.' }),
  description: z.string().nullable(),
};

export const transferSchema = z
  .strictObject({ ...moneyOutFields, ...bankFields })
  .meta({ id: 'Disbursement', description: 'A transfer from an account to a bank account.' });

export const transferForWebhookSchema = z
  .strictObject({ ...moneyOutFieldsOfWebhook, ...bankFields })
  .meta({ id: 'DisbursementOfWebhook', description: 'A transfer to a bank account, with times in Unix milliseconds.' });

export type TransferJson = z.output<typeof transferSchema>;
export type TransferForWebhookJson = z.output<typeof transferForWebhookSchema>;

/** A disbursement as REST answers carry it. */
export function presentTransfer(transfer: Transfer): TransferJson {
  return { ...presentMoneyOut(transfer), ...presentBank(transfer) };
}

/** The same as webhooks carry it. */
export function presentTransferForWebhook(transfer: Transfer): TransferForWebhookJson {
  return { ...presentMoneyOutForWebhook(transfer), ...presentBank(transfer) };
}

/** What every money-out product has, as REST answers carry it: times in ISO 8601 UTC (contract §6). */
export function presentMoneyOut(transfer: Transfer) {
  return present(transfer, iso(transfer.createdAtMs), isoOrNull(transfer.processedAtMs));
}

/**
 * The same as webhooks carry it: times in Unix milliseconds as strings, an empty one for the completion of a transfer that was
 * never paid (merchant-api.md, qris-issuer).
 */
export function presentMoneyOutForWebhook(transfer: Transfer) {
  const { status, processedAtMs } = transfer;
  const wasPaid = status === TransferStatus.SUCCESS || status === TransferStatus.REFUNDED;
  return present(transfer, String(transfer.createdAtMs), wasPaid && processedAtMs !== undefined ? String(processedAtMs) : '');
}

/** Both forms, which differ in how they write times. */
function present<Processed extends string | null>(transfer: Transfer, postTimestamp: string, processedTimestamp: Processed) {
  const failed = transfer.status === TransferStatus.FAILED;
  return {
    transaction_id: transfer.transactionId,
    reference_number: transfer.referenceNumber,
    account_id: transfer.accountId,
    transaction_status: statuses[transfer.status],
    gross_amount: toMoney(transfer.amountSen + transfer.feeSen),
    fee: toMoney(transfer.feeSen),
    net_amount: toMoney(transfer.amountSen),
    balance_after: presentBalanceAfter(failed ? undefined : transfer.balanceAfterSen),
    possible_duplicate_of: textOrNull(transfer.possibleDuplicateOf),
    post_timestamp: postTimestamp,
    processed_timestamp: processedTimestamp,
    ...(failed && { failed_code: transfer.failedCode, failed_reason: transfer.failedReason }),
  };
}

function presentBank(transfer: Transfer) {
  return {
    bank_code: transfer.bankCode,
    bank_name: transfer.bankName,
    bank_account_number: transfer.bankAccountNumber,
    bank_account_name: textOrNull(transfer.bankAccountName),
    description: textOrNull(transfer.description),
  };
}
