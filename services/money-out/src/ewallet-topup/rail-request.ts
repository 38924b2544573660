import { EWALLET_CHANNELS } from '@gerbang/core';
import type { EwalletTopupRequest } from '@gerbang/rails/ewallet-topup';
import { z } from 'zod';
import type { TransferOrder } from '../transfer/product.ts';
import { externalIdOf } from '../transfer/rail-reference.ts';
import type { EwalletTopupDetails } from './content.ts';

/** The request to the wallet, made once and persisted before it is sent. `nowMs` is real time: the wallet's day. */
export function toRequest(order: TransferOrder, details: EwalletTopupDetails, nowMs: number): EwalletTopupRequest {
  return {
    partnerReference: order.partnerReference,
    externalId: externalIdOf(order.partnerReference),
    transactionId: order.transactionId,
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
  transactionId: z.string(),
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
