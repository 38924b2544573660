import { vaBank } from '@gerbang/core';
import type { CardlessRequest } from '@gerbang/rails/cardless-withdrawal';
import { z } from 'zod';
import type { TransferOrder } from '../transfer/product.ts';
import type { CardlessDetails } from './content.ts';

/** The request to the bank, made once and persisted before it is sent. */
export function toRequest(order: TransferOrder, { bankCode, phoneNumber, expiresAtMs }: CardlessDetails): CardlessRequest {
  return {
    partnerReference: order.partnerReference,
    transactionId: order.transactionId,
    amountSen: order.amountSen.toString(),
    bankCode: vaBank(bankCode).nationalCode,
    phoneNumber,
    merchantReference: order.referenceNumber,
    expiresAtMs,
  };
}

const schema = z.object({
  partnerReference: z.string(),
  transactionId: z.string(),
  amountSen: z.string(),
  bankCode: z.string(),
  phoneNumber: z.string(),
  merchantReference: z.string(),
  expiresAtMs: z.number(),
});

/** The request as it is stored. */
export function writeRequest(request: CardlessRequest): string {
  return JSON.stringify(request);
}

/** A stored request; throws when it is none. */
export function readRequest(text: string): CardlessRequest {
  return schema.parse(JSON.parse(text));
}
