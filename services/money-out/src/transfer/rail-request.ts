import { type BankTransferRequest, bankTransferRequestSchema, externalIdOf } from '@gerbang/rails';
import type { TransferOrder } from './store.ts';

/** The request to the bank, made once and persisted before it is sent. `nowMs` is real time: the bank's day. */
export function toRequest(order: TransferOrder, nowMs: number): BankTransferRequest {
  return {
    partnerReference: order.transactionId,
    externalId: externalIdOf(order.transactionId),
    merchantReference: order.referenceNumber,
    amountSen: order.amountSen.toString(),
    bankCode: order.railBankCode,
    accountNumber: order.bankAccountNumber,
    accountName: order.bankAccountName,
    description: order.description,
    createdAtMs: nowMs,
  };
}

/** The request as it is stored. */
export function writeRequest(request: BankTransferRequest): string {
  return JSON.stringify(request);
}

/** A stored request; throws when it is none. */
export function readRequest(text: string): BankTransferRequest {
  return bankTransferRequestSchema.parse(JSON.parse(text));
}
