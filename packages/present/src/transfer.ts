import { toMoney } from '@gerbang/core';
import { type Transfer, TransferStatus } from '@gerbang/proto/gerbang/money_out/v1/money_out';

/** Transaction status codes of merchant-api.md. */
const statuses: Record<TransferStatus, { code: string; desc: string }> = {
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
export function presentStatus(status: TransferStatus): { code: string; desc: string } {
  return statuses[status];
}

/** A disbursement as REST answers carry it: times in ISO 8601 UTC (contract §6). */
export function presentTransfer(transfer: Transfer): object {
  const processed = transfer.processedAtMs === undefined ? null : iso(transfer.processedAtMs);
  return present(transfer, iso(transfer.createdAtMs), processed);
}

/**
 * The same as webhooks carry it: times in Unix milliseconds as strings, an empty one for the completion of a transfer that was
 * never paid (merchant-api.md, qris-issuer).
 */
export function presentTransferForWebhook(transfer: Transfer): object {
  const { status, processedAtMs } = transfer;
  const wasPaid = status === TransferStatus.SUCCESS || status === TransferStatus.REFUNDED;
  return present(transfer, String(transfer.createdAtMs), wasPaid && processedAtMs !== undefined ? String(processedAtMs) : '');
}

function present(transfer: Transfer, postTimestamp: string, processedTimestamp: string | null): object {
  const failed = transfer.status === TransferStatus.FAILED;
  const after = transfer.balanceAfterSen;
  return {
    transaction_id: transfer.transactionId,
    reference_number: transfer.referenceNumber,
    account_id: transfer.accountId,
    transaction_status: statuses[transfer.status],
    gross_amount: toMoney(transfer.amountSen + transfer.feeSen),
    fee: toMoney(transfer.feeSen),
    net_amount: toMoney(transfer.amountSen),
    balance_after: failed || after === undefined ? { value: null, currency: null } : toMoney(after),
    post_timestamp: postTimestamp,
    processed_timestamp: processedTimestamp,
    ...(failed && { failed_code: transfer.failedCode, failed_reason: transfer.failedReason }),
    bank_code: transfer.bankCode,
    bank_name: transfer.bankName,
    bank_account_number: transfer.bankAccountNumber,
    bank_account_name: transfer.bankAccountName === '' ? null : transfer.bankAccountName,
    description: transfer.description === '' ? null : transfer.description,
  };
}

function iso(ms: bigint): string {
  return new Date(Number(ms)).toISOString();
}
