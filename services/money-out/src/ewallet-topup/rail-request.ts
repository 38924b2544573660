import { createHash } from 'node:crypto';
import { EWALLET_CHANNELS } from '@gerbang/core';
import type { EwalletTopupRequest } from '@gerbang/rails';
import { z } from 'zod';
import type { TransferOrder } from '../transfer/product.ts';
import type { EwalletTopupDetails } from './content.ts';

/** The request to the wallet, made once and persisted before it is sent. `nowMs` is real time: the wallet's day. */
export function toRequest(order: TransferOrder, details: EwalletTopupDetails, nowMs: number): EwalletTopupRequest {
  return {
    partnerReference: order.transactionId,
    externalId: externalIdOf(order.transactionId),
    amountSen: order.amountSen.toString(),
    channel: details.channel,
    phoneNumber: details.railPhoneNumber,
    merchantReference: order.referenceNumber,
    notes: order.description,
    createdAtMs: nowMs,
  };
}

const schema = z.object({
  partnerReference: z.string(),
  externalId: z.string(),
  amountSen: z.string(),
  channel: z.enum(EWALLET_CHANNELS),
  phoneNumber: z.string(),
  merchantReference: z.string(),
  notes: z.string(),
  createdAtMs: z.number(),
});

/** The request as it is stored. */
export function writeRequest(request: EwalletTopupRequest): string {
  return JSON.stringify(request);
}

/** A stored request; throws when it is none. */
export function readRequest(text: string): EwalletTopupRequest {
  return schema.parse(JSON.parse(text));
}

/** 36 digits, the same whenever they are made again for a transaction, and others for any other. */
function externalIdOf(transactionId: string): string {
  const digest = createHash('sha256').update(transactionId).digest('hex');
  return (BigInt(`0x${digest}`) % 10n ** 36n).toString().padStart(36, '0');
}
