import { create, toBinary } from '@bufbuild/protobuf';
import type { EventType } from '@gerbang/present';
import {
  PurchaseAcceptedSchema,
  PurchaseFinishedSchema,
  type Purchase as PurchaseMessage,
  PurchaseSchema,
  PurchaseStatus,
} from '@gerbang/proto/gerbang/biller/v1/biller';
import type { NewEvent } from '@gerbang/store';
import type { PurchaseOrder } from './document.ts';
import type { PurchaseEvent, PurchaseState } from './purchase.ts';

/** A purchase as the contract between services shows it, without its token. */
export function toMessage(order: PurchaseOrder, state: PurchaseState): PurchaseMessage {
  const { railCode: _rail, givesToken: _token, partition: _partition, createdAtMs, ...shown } = order;
  return create(PurchaseSchema, { ...shown, createdAtMs: BigInt(createdAtMs), ...stateFields(state) });
}

function stateFields(state: PurchaseState) {
  switch (state.status) {
    case 'created':
    case 'held':
      return { status: PurchaseStatus.PENDING };
    case 'succeeded': {
      const { serialNumber, processedAtMs } = state;
      return { status: PurchaseStatus.SUCCESS, serialNumber, processedAtMs: BigInt(processedAtMs) };
    }
    case 'failed': {
      const { code: failedCode, reason: failedReason, processedAtMs } = state;
      return { status: PurchaseStatus.FAILED, failedCode, failedReason, processedAtMs: BigInt(processedAtMs) };
    }
    default:
      return state satisfies never;
  }
}

/** What is published of an event, `state` being the one right after it: acceptance and each end. Others publish nothing. */
export function toEvents(
  order: PurchaseOrder,
  state: PurchaseState,
  event: PurchaseEvent,
  atMs: number,
): NewEvent<EventType<'biller'>>[] {
  const purchase = toMessage(order, state);
  switch (event.type) {
    case 'held': {
      const payload = toBinary(PurchaseAcceptedSchema, create(PurchaseAcceptedSchema, { purchase }));
      return [{ type: 'biller-payment.accepted', schema: 1, payload, atMs }];
    }
    case 'succeeded': {
      const sealedToken = event.receipt.sealedToken ?? '';
      const payload = toBinary(PurchaseFinishedSchema, create(PurchaseFinishedSchema, { purchase, sealedToken }));
      return [{ type: 'biller-payment.succeeded', schema: 1, payload, atMs }];
    }
    case 'failed': {
      const payload = toBinary(PurchaseFinishedSchema, create(PurchaseFinishedSchema, { purchase }));
      return [{ type: 'biller-payment.failed', schema: 1, payload, atMs }];
    }
    case 'waited':
    case 'resolution-proposed':
    case 'compensation-refused':
      return [];
    default:
      return event satisfies never;
  }
}
