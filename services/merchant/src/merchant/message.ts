import { create, toBinary } from '@bufbuild/protobuf';
import type { FeeRule } from '@gerbang/core';
import type { EventType } from '@gerbang/present';
import { MerchantChangedSchema } from '@gerbang/proto/gerbang/merchant/v1/merchant';
import type { NewEvent } from '@gerbang/store';
import type { MerchantEvent } from './merchant.ts';

type MerchantDomainEvent = NewEvent<EventType<'merchant'>>;

/** A line of the fee schedule as other programs get it. */
export function toFeeMessage(fee: FeeRule) {
  return { ...fee, effectiveFromMs: BigInt(fee.effectiveFromMs), effectiveUntilMs: BigInt(fee.effectiveUntilMs) };
}

/** The event of a new merchant. */
export function createdEvent(merchantId: string, nowMs: number): MerchantDomainEvent {
  return toEvent(merchantId, 'merchant.created', 'created', '', nowMs);
}

/** What others hear: that something changed, and of which kind. */
export function publicEvents(merchantId: string, event: MerchantEvent, nowMs: number): MerchantDomainEvent[] {
  const clientId = event.type === 'credential-added' ? event.credential.clientId : 'clientId' in event ? event.clientId : '';
  return [toEvent(merchantId, 'merchant.updated', event.type, clientId ?? '', nowMs)];
}

function toEvent(
  merchantId: string,
  type: EventType<'merchant'>,
  change: string,
  clientId: string,
  nowMs: number,
): MerchantDomainEvent {
  const payload = toBinary(MerchantChangedSchema, create(MerchantChangedSchema, { merchantId, change, clientId }));
  return { type, schema: 1, payload, atMs: nowMs };
}
