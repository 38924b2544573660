import { jakartaDay } from '@gerbang/core';
import type { ChargeRequest, RefundRequest } from '@gerbang/rails/direct-debit';
import { z } from 'zod';
import { externalIdOf, refundReference } from './reference.ts';
import type { ChargeOrder, ChargeState } from './state.ts';

const charge = z.object({
  partnerReference: z.string(),
  amountSen: z.string(),
  merchantReference: z.string(),
  deviceId: z.string(),
  createdAtMs: z.number(),
});
const refund = z.object({
  originalReference: z.string(),
  originalExternalId: z.string(),
  refundReference: z.string(),
  externalId: z.string(),
  amountSen: z.string(),
  createdAtMs: z.number(),
});

type NewCharge = Pick<ChargeOrder, 'id' | 'amountSen' | 'referenceNumber' | 'bindingId'>;

/** The exact request to the bank, as it is stored before it is sent. `realNowMs`: SNAP's days are those of real time. */
export function writeChargeRequest({ id, amountSen, referenceNumber, bindingId }: NewCharge, realNowMs: number): string {
  const fields = { merchantReference: referenceNumber, deviceId: bindingId, createdAtMs: realNowMs };
  const request: z.output<typeof charge> = { partnerReference: id, amountSen: amountSen.toString(), ...fields };
  return JSON.stringify(request);
}

/** The request as the bank gets it in the charge's state: one that an OTP has been given for is another form of it. */
export function readChargeRequest({ request }: ChargeOrder, state: ChargeState): ChargeRequest {
  const stored = charge.parse(JSON.parse(request));
  const form = state.status === 'sending' && state.chargeToken !== undefined ? 'with-otp' : 'plain';
  return { ...stored, externalId: externalIdOf(stored.partnerReference, form) };
}

export function writeRefundRequest(
  order: ChargeOrder,
  wanted: { referenceNumber: string; amountSen: bigint },
  realNowMs: number,
) {
  const reference = refundReference(order.id, wanted.referenceNumber);
  const request: RefundRequest = {
    originalReference: order.id,
    originalExternalId: externalIdOf(order.id, order.requiresOtp ? 'with-otp' : 'plain'),
    refundReference: reference,
    externalId: externalIdOf(reference),
    amountSen: wanted.amountSen.toString(),
    createdAtMs: realNowMs,
  };
  return JSON.stringify(request);
}

export function readRefundRequest(text: string): RefundRequest {
  return refund.parse(JSON.parse(text));
}

/**
 * Whether the bank can still tell a repetition from a new request: its external ids are unique for a day of real time. A repetition
 * near the end of the day might reach the bank on the next one.
 */
export function mayResend({ createdAtMs }: { createdAtMs: number }, realNowMs: number): boolean {
  const MARGIN_MS = 60_000;
  return jakartaDay(createdAtMs) === jakartaDay(realNowMs + MARGIN_MS);
}
