import { create, toBinary } from '@bufbuild/protobuf';
import type { EventType } from '@gerbang/present';
import {
  AccountTransferFinishedSchema,
  type AccountTransfer as AccountTransferMessage,
  AccountTransferSchema,
  TransferStatus,
} from '@gerbang/proto/gerbang/money_out/v1/money_out';
import type { NewEvent } from '@gerbang/store';
import type { AccountTransferOrder, AccountTransferState } from './account-transfer.ts';

/** The transfer as the contract between services shows it. */
export function toMessage({
  order,
  state,
}: {
  order: AccountTransferOrder;
  state: AccountTransferState;
}): AccountTransferMessage {
  const common = {
    transactionId: order.transactionId,
    referenceNumber: order.referenceNumber,
    merchantId: order.merchantId,
    sourceAccountId: order.accountId,
    destinationAccountId: order.destinationAccountId,
    amountSen: order.amountSen,
    createdAtMs: BigInt(order.createdAtMs),
    note: order.note,
  };
  switch (state.status) {
    case 'created':
      return create(AccountTransferSchema, { ...common, status: TransferStatus.INITIATED });
    case 'succeeded':
      return create(AccountTransferSchema, {
        ...common,
        status: TransferStatus.SUCCESS,
        balanceAfterSen: state.balanceAfterSen,
        possibleDuplicateOf: state.possibleDuplicateOf ?? '',
        processedAtMs: BigInt(state.processedAtMs),
      });
    default:
      return state satisfies never;
  }
}

/** For the timeline; merchants are not notified. */
export function toEvent(
  order: AccountTransferOrder,
  state: AccountTransferState,
  nowMs: number,
): NewEvent<EventType<'money-out'>> {
  const finished = create(AccountTransferFinishedSchema, { accountTransfer: toMessage({ order, state }) });
  const payload = toBinary(AccountTransferFinishedSchema, finished);
  return { type: 'account-transfer.succeeded', schema: 1, payload, atMs: nowMs };
}
