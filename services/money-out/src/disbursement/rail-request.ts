import type { BankTransferRequest } from '@gerbang/rails/bank-transfer';
import { z } from 'zod';
import type { TransferOrder } from '../transfer/product.ts';
import { externalIdOf } from '../transfer/rail-reference.ts';
import type { DisbursementDetails } from './content.ts';

/** The request to the bank, made once and persisted before it is sent. `nowMs` is real time: the bank's day. */
export function toRequest(order: TransferOrder, details: DisbursementDetails, nowMs: number): BankTransferRequest {
  return {
    partnerReference: order.partnerReference,
    externalId: externalIdOf(order.partnerReference),
    transactionId: order.transactionId,
    amountSen: order.amountSen.toString(),
    beneficiaryBankCode: details.railBankCode,
    beneficiaryAccountNumber: details.bankAccountNumber,
    beneficiaryAccountName: details.bankAccountName,
    merchantReference: order.referenceNumber,
    remark: order.description,
    createdAtMs: nowMs,
  };
}

const schema = z.object({
  partnerReference: z.string(),
  externalId: z.string(),
  transactionId: z.string().optional(),
  amountSen: z.string(),
  beneficiaryBankCode: z.string(),
  beneficiaryAccountNumber: z.string(),
  beneficiaryAccountName: z.string(),
  merchantReference: z.string(),
  remark: z.string(),
  createdAtMs: z.number(),
});

/** The request as it is stored. */
export function writeRequest(request: BankTransferRequest): string {
  return JSON.stringify(request);
}

/** A stored request; throws when it is none. */
export function readRequest(text: string): BankTransferRequest {
  return schema.parse(JSON.parse(text));
}
