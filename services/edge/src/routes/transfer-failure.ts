import { type Refusal, refuse } from '@gerbang/core';
import { type Transfer, TransferStatus } from '@gerbang/proto/gerbang/money_out/v1/money_out';

/** What a transfer that has failed means for its order's answer (contract §6); undefined while it may succeed, or has. */
export function failureOf(transfer: Transfer): Refusal | undefined {
  const { status, failedReason } = transfer;
  switch (status) {
    case TransferStatus.SUCCESS:
    case TransferStatus.INITIATED:
    case TransferStatus.PAYING:
    case TransferStatus.PENDING:
      return undefined;
    case TransferStatus.FAILED:
    case TransferStatus.CANCELED:
    case TransferStatus.REFUNDED:
      return refuse(codeOf(transfer), failedReason === '' ? {} : { message: failedReason });
    case TransferStatus.UNSPECIFIED:
      throw new Error('money-out answered a transfer without a status');
    default:
      return status satisfies never;
  }
}

function codeOf({ beneficiaryUnknown, beneficiaryOverLimit }: Transfer) {
  if (beneficiaryUnknown) return 'beneficiary_not_found';
  return beneficiaryOverLimit ? 'beneficiary_limit' : 'transaction_failed';
}
