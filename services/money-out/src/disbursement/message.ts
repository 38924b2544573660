import { create, toBinary } from '@bufbuild/protobuf';
import type { EventType } from '@gerbang/present';
import {
  DisbursementAcceptedSchema,
  DisbursementFinishedSchema,
  type Transfer,
  TransferSchema,
} from '@gerbang/proto/gerbang/money_out/v1/money_out';
import { commonFields } from '../transfer/message.ts';
import type { PublishedKind, TransferOrder } from '../transfer/product.ts';
import type { TransferState } from '../transfer/state.ts';
import { readDetails } from './document.ts';

/** A disbursement as the contract between services shows it. */
export function toMessage(order: TransferOrder, document: object, state: TransferState): Transfer {
  const { railBankCode: _ofTheRail, ...shown } = readDetails(document);
  return create(TransferSchema, {
    ...commonFields(order, state),
    ...shown,
  });
}

const TYPES = {
  accepted: 'disbursement.accepted',
  succeeded: 'disbursement.succeeded',
  failed: 'disbursement.failed',
  canceled: 'disbursement.canceled',
  refunded: 'disbursement.refunded',
} as const satisfies Record<PublishedKind, EventType<'money-out'>>;

/** The event of a disbursement, with its payload. */
export function toEvent(kind: PublishedKind, transfer: Transfer) {
  const payload =
    kind === 'accepted'
      ? toBinary(DisbursementAcceptedSchema, create(DisbursementAcceptedSchema, { transfer }))
      : toBinary(DisbursementFinishedSchema, create(DisbursementFinishedSchema, { transfer }));
  return { type: TYPES[kind], schema: 1, payload };
}
