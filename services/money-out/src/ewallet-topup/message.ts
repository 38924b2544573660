import { create, toBinary } from '@bufbuild/protobuf';
import type { EventType } from '@gerbang/present';
import { EwalletTopupAcceptedSchema, EwalletTopupFinishedSchema } from '@gerbang/proto/gerbang/money_out/v1/ewallet_topup';
import { type Transfer, TransferSchema } from '@gerbang/proto/gerbang/money_out/v1/money_out';
import { commonFields } from '../transfer/message.ts';
import type { PublishedKind, TransferOrder } from '../transfer/product.ts';
import { isHeld, type TransferState } from '../transfer/state.ts';
import { readDetails } from './document.ts';

/** A top-up as the contract between services shows it. */
export function toMessage(order: TransferOrder, document: object, state: TransferState): Transfer {
  const { channel, phoneNumber } = readDetails(document);
  return create(TransferSchema, {
    ...commonFields(order, state),
    ewalletTopup: { channel, phoneNumber, name: nameIn(state) },
  });
}

/** The customer's name, which the rail's receipt has once it is known. */
function nameIn(state: TransferState): string {
  const hasReceipt = isHeld(state) || state.status === 'succeeded';
  return hasReceipt ? (state.receipt.name ?? '') : '';
}

const TYPES = {
  accepted: 'ewallet-topup.accepted',
  succeeded: 'ewallet-topup.succeeded',
  failed: 'ewallet-topup.failed',
  canceled: 'ewallet-topup.canceled',
  refunded: 'ewallet-topup.refunded',
} as const satisfies Record<PublishedKind, EventType<'money-out'>>;

/** The event of a top-up, with its payload. */
export function toEvent(kind: PublishedKind, transfer: Transfer) {
  const payload =
    kind === 'accepted'
      ? toBinary(EwalletTopupAcceptedSchema, create(EwalletTopupAcceptedSchema, { transfer }))
      : toBinary(EwalletTopupFinishedSchema, create(EwalletTopupFinishedSchema, { transfer }));
  return { type: TYPES[kind], schema: 1, payload };
}
