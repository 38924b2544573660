import { createHash } from 'node:crypto';
import type { BankTransferRequest } from '@gerbang/rails';
import { z } from 'zod';
import type { TransferOrder } from '../transfer/product.ts';
import type { DisbursementDetails } from './content.ts';

/** The request to the bank, made once and persisted before it is sent. `nowMs` is real time: the bank's day. */
export function toRequest(order: TransferOrder, details: DisbursementDetails, nowMs: number): BankTransferRequest {
  return {
    partnerReference: order.transactionId,
    externalId: externalIdOf(order.transactionId),
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

/** 36 digits, the same whenever they are made again for a transaction, and others for any other. */
function externalIdOf(transactionId: string): string {
  const digest = createHash('sha256').update(transactionId).digest('hex');
  return (BigInt(`0x${digest}`) % 10n ** 36n).toString().padStart(36, '0');
}
