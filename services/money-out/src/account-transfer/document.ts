import type { AggregateDocument, Due } from '@gerbang/store';
import { paymentHash } from '../transfer/duplicate.ts';
import { fromQuotaFields, type QuotaFields, toQuotaFields } from '../transfer/quota-document.ts';
import { RESUME_AFTER_MS } from '../transfer/schedule.ts';
import { ACCOUNT_TRANSFER, type AccountTransferOrder, type AccountTransferState } from './account-transfer.ts';

/** The document's own fields: snake_case, bigint sen, dates. */
export type AccountTransferDocument = Due &
  QuotaFields & {
    transaction_id: string;
    partition: string;
    account_id: string;
    destination_account_id: string;
    reference_number: string;
    content_hash: string;
    /** Recognizes orders of the same payment; absent in documents of earlier versions. */
    payment_hash?: string;
    product: typeof ACCOUNT_TRANSFER;
    amount_sen: bigint;
    note: string;
    created_at: Date;
    status: AccountTransferState['status'];
    balance_after_sen?: bigint;
    possible_duplicate_of?: string;
    processed_at?: Date;
  };

export type StoredAccountTransferDocument = AggregateDocument<AccountTransferDocument>;

/** An account transfer as it was read, and the version that the next change is conditional on. */
export type StoredAccountTransfer = {
  order: AccountTransferOrder;
  state: AccountTransferState;
  document: StoredAccountTransferDocument;
};

export function newDocument(order: AccountTransferOrder): AccountTransferDocument {
  return {
    transaction_id: order.transactionId,
    partition: order.partition,
    account_id: order.accountId,
    destination_account_id: order.destinationAccountId,
    reference_number: order.referenceNumber,
    content_hash: order.contentHash,
    payment_hash: paymentHash({ ...order, product: ACCOUNT_TRANSFER, beneficiary: order.destinationAccountId }),
    product: ACCOUNT_TRANSFER,
    amount_sen: order.amountSen,
    ...toQuotaFields(order.quota),
    note: order.note,
    created_at: new Date(order.createdAtMs),
    status: 'created',
    due_at: new Date(order.createdAtMs + RESUME_AFTER_MS),
  };
}

export function toStateFields(state: AccountTransferState): Partial<AccountTransferDocument> {
  switch (state.status) {
    case 'created':
      return { status: 'created' };
    case 'succeeded':
      return {
        status: 'succeeded',
        balance_after_sen: state.balanceAfterSen,
        processed_at: new Date(state.processedAtMs),
        ...(state.possibleDuplicateOf !== undefined && { possible_duplicate_of: state.possibleDuplicateOf }),
      };
    default:
      return state satisfies never;
  }
}

export function fromDocument(document: StoredAccountTransferDocument): StoredAccountTransfer {
  const order: AccountTransferOrder = {
    transactionId: document.transaction_id,
    merchantId: document.merchant_id,
    partition: document.partition,
    accountId: document.account_id,
    destinationAccountId: document.destination_account_id,
    referenceNumber: document.reference_number,
    contentHash: document.content_hash,
    amountSen: document.amount_sen,
    quota: fromQuotaFields(document),
    note: document.note,
    createdAtMs: document.created_at.getTime(),
  };
  return { order, state: toState(document), document };
}

function toState(document: StoredAccountTransferDocument): AccountTransferState {
  if (document.status === 'created') return { status: 'created' };
  const { balance_after_sen: balanceAfterSen, processed_at: processedAt } = document;
  if (balanceAfterSen === undefined || processedAt === undefined)
    throw new Error(`account transfer ${document._id} is incomplete`);
  const { possible_duplicate_of: possibleDuplicateOf } = document;
  return { status: 'succeeded', balanceAfterSen, possibleDuplicateOf, processedAtMs: processedAt.getTime() };
}
