import { create, toBinary } from '@bufbuild/protobuf';
import type { EventType } from '@gerbang/present';
import {
  DisbursementAcceptedSchema,
  DisbursementFinishedSchema,
  type Transfer,
  TransferSchema,
  TransferStatus,
} from '@gerbang/proto/gerbang/money_out/v1/money_out';
import type { NewEvent } from '@gerbang/store';
import type { TransferOrder } from './stored-transfer.ts';
import type { TransferEvent, TransferState } from './transfer.ts';

/** The transfer as the contract between services shows it. */
export function toMessage(order: TransferOrder, state: TransferState): Transfer {
  const common = {
    transactionId: order.transactionId,
    referenceNumber: order.referenceNumber,
    merchantId: order.merchantId,
    accountId: order.accountId,
    amountSen: order.amountSen,
    feeSen: order.feeSen,
    createdAtMs: BigInt(order.createdAtMs),
    bankCode: order.bankCode,
    bankName: order.bankName,
    bankAccountNumber: order.bankAccountNumber,
    bankAccountName: order.bankAccountName,
    description: order.description,
  };
  switch (state.status) {
    case 'created':
      return create(TransferSchema, { ...common, status: TransferStatus.INITIATED });
    case 'sent':
      return create(TransferSchema, { ...common, status: TransferStatus.PENDING, balanceAfterSen: state.balanceAfterSen });
    case 'succeeded':
      return create(TransferSchema, {
        ...common,
        status: TransferStatus.SUCCESS,
        balanceAfterSen: state.balanceAfterSen,
        processedAtMs: BigInt(state.processedAtMs),
      });
    case 'failed':
      return create(TransferSchema, {
        ...common,
        status: TransferStatus.FAILED,
        processedAtMs: BigInt(state.processedAtMs),
        failedCode: state.failedCode,
        failedReason: state.failedReason,
        beneficiaryUnknown: state.beneficiaryUnknown,
      });
    default:
      return state satisfies never;
  }
}

/** What others hear of an event, `state` being the one right after it: acceptance and the end; waiting is nobody's business. */
export function toEvent(
  order: TransferOrder,
  state: TransferState,
  event: TransferEvent,
  nowMs: number,
): NewEvent<EventType<'money-out'>>[] {
  const transfer = toMessage(order, state);
  switch (event.type) {
    case 'sent': {
      const payload = toBinary(DisbursementAcceptedSchema, create(DisbursementAcceptedSchema, { transfer }));
      return [{ type: 'disbursement.accepted', schema: 1, payload, atMs: nowMs }];
    }
    case 'succeeded':
    case 'failed': {
      const payload = toBinary(DisbursementFinishedSchema, create(DisbursementFinishedSchema, { transfer }));
      return [{ type: `disbursement.${event.type}`, schema: 1, payload, atMs: nowMs }];
    }
    case 'waited':
    case 'resolution-proposed':
      return [];
    default:
      return event satisfies never;
  }
}
