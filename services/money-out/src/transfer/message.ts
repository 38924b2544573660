import type { EventType } from '@gerbang/present';
import { type Transfer, TransferStatus } from '@gerbang/proto/gerbang/money_out/v1/money_out';
import type { NewEvent } from '@gerbang/store';
import type { StoredTransfer } from './document.ts';
import type { TransferEvent } from './event.ts';
import type { PublishedKind, TransferOrder } from './product.ts';
import type { TransferState } from './state.ts';

/** The transfer as the contract between services shows it. */
export function toMessage({ product, order, document, state }: StoredTransfer): Transfer {
  return product.toMessage(order, document, state);
}

/** What the messages of all products show alike. */
export function commonFields(order: TransferOrder, state: TransferState) {
  return {
    transactionId: order.transactionId,
    referenceNumber: order.referenceNumber,
    merchantId: order.merchantId,
    accountId: order.accountId,
    amountSen: order.amountSen,
    feeSen: order.feeSen,
    createdAtMs: BigInt(order.createdAtMs),
    description: order.description,
    possibleDuplicateOf: (state.status === 'created' ? undefined : state.possibleDuplicateOf) ?? '',
    ...stateFields(state),
  };
}

function stateFields(state: TransferState) {
  switch (state.status) {
    case 'created':
      return { status: TransferStatus.INITIATED };
    case 'sent':
    case 'canceling':
      return { status: TransferStatus.PENDING, balanceAfterSen: state.balanceAfterSen };
    case 'succeeded':
    case 'refunded': {
      const { balanceAfterSen, processedAtMs } = state;
      const status = state.status === 'succeeded' ? TransferStatus.SUCCESS : TransferStatus.REFUNDED;
      return { status, balanceAfterSen, processedAtMs: BigInt(processedAtMs) };
    }
    case 'canceled':
      return { status: TransferStatus.CANCELED, processedAtMs: BigInt(state.processedAtMs) };
    case 'failed': {
      const { code: failedCode, reason: failedReason, cause } = state.failure;
      return {
        status: TransferStatus.FAILED,
        processedAtMs: BigInt(state.processedAtMs),
        failedCode,
        failedReason,
        beneficiaryUnknown: cause === 'recipient_unknown',
        beneficiaryOverLimit: cause === 'recipient_limit',
      };
    }
    default:
      return state satisfies never;
  }
}

/** The stored statuses behind a filter; empty where no transfer can have it, undefined for no filter. */
export function storedStatuses(status: TransferStatus): TransferState['status'][] | undefined {
  switch (status) {
    case TransferStatus.UNSPECIFIED:
      return undefined;
    case TransferStatus.SUCCESS:
      return ['succeeded'];
    case TransferStatus.PENDING:
      return ['sent', 'canceling'];
    case TransferStatus.FAILED:
      return ['failed'];
    case TransferStatus.REFUNDED:
      return ['refunded'];
    case TransferStatus.CANCELED:
      return ['canceled'];
    case TransferStatus.INITIATED:
    case TransferStatus.PAYING:
      return [];
    default:
      return status satisfies never;
  }
}

/** What is published of an event, `state` being the one right after it: acceptance and each end. Others publish nothing. */
export function toEvents(
  transfer: StoredTransfer,
  state: TransferState,
  event: TransferEvent,
  nowMs: number,
): NewEvent<EventType<'money-out'>>[] {
  const kind = publishedKind(event);
  if (kind === undefined) return [];
  const { product } = transfer;
  return [{ ...product.toEvent(kind, toMessage({ ...transfer, state })), atMs: nowMs }];
}

function publishedKind(event: TransferEvent): PublishedKind | undefined {
  switch (event.type) {
    case 'sent':
      return 'accepted';
    case 'succeeded':
    case 'payment-booked':
      return 'succeeded';
    case 'refunded':
    case 'return-booked':
      return 'refunded';
    case 'failed':
    case 'canceled':
      return event.type;
    case 'waited':
    case 'cancel-requested':
    case 'resolution-proposed':
    case 'return-reported':
    case 'refund-requested':
    case 'refund-awaited':
    case 'refund-refused':
    case 'payment-reported':
    case 'payment-approved':
    case 'payment-dismissed':
    case 'payment-refused':
      return undefined;
    default:
      return event satisfies never;
  }
}
