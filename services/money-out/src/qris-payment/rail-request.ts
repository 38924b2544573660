import type { QrisPaymentRequest } from '@gerbang/rails/qris-payment';
import { z } from 'zod';
import type { TransferOrder } from '../transfer/product.ts';
import { externalIdOf } from '../transfer/rail-reference.ts';
import type { QrisPaymentDetails } from './content.ts';

/** The request to the acquirer, made once and persisted before it is sent. `nowMs` is real time: the acquirer's day. */
export function toRequest(order: TransferOrder, { tipSen }: QrisPaymentDetails, nowMs: number): QrisPaymentRequest {
  return {
    partnerReference: order.partnerReference,
    externalId: externalIdOf(order.partnerReference),
    transactionId: order.transactionId,
    amountSen: order.amountSen.toString(),
    tipSen: tipSen.toString(),
    merchantReference: order.referenceNumber,
    createdAtMs: nowMs,
  };
}

const schema = z.object({
  partnerReference: z.string(),
  externalId: z.string(),
  transactionId: z.string().optional(),
  amountSen: z.string(),
  tipSen: z.string(),
  merchantReference: z.string(),
  createdAtMs: z.number(),
});

/** The request as it is stored. */
export function writeRequest(request: QrisPaymentRequest): string {
  return JSON.stringify(request);
}

/** A stored request; throws when it is none. */
export function readRequest(text: string): QrisPaymentRequest {
  return schema.parse(JSON.parse(text));
}
