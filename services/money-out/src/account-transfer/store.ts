import type { EventType } from '@gerbang/present';
import { type AfterWrite, dateRange, openAggregates, type Store } from '@gerbang/store';
import { openPayments, type Payments } from '../transfer/duplicate.ts';
import { openReferences, type References, referenceId, TRANSFERS } from '../transfer/reference.ts';
import { openSpendings, type Spendings } from '../transfer/spending-store.ts';
import { ACCOUNT_TRANSFER, type AccountTransferEvent, type AccountTransferOrder, evolve } from './account-transfer.ts';
import {
  type AccountTransferDocument,
  fromDocument,
  newDocument,
  type StoredAccountTransfer,
  type StoredAccountTransferDocument,
  toStateFields,
} from './document.ts';
import { toEvent } from './message.ts';

/** Newest first, accepted ones only; `before` is a transaction id. */
export type AccountTransferQuery = {
  merchantId: string;
  accountId: string | undefined;
  limit: number;
  before: string | undefined;
  referenceNumber: string | undefined;
  fromMs: number | undefined;
  toMs: number | undefined;
};

/**
 * The account transfers of all accounts, in the collection of all money-out transactions; this store does not see the others,
 * beyond `references`.
 */
export type AccountTransferStore = {
  references: References;
  payments: Payments;
  spendings: Spendings;
  /** Undefined when any product uses the reference already. */
  insert(order: AccountTransferOrder): Promise<StoredAccountTransfer | undefined>;
  /** What is there at this moment. */
  find(accountId: string, referenceNumber: string): Promise<StoredAccountTransfer | undefined>;
  findByTransactionId(merchantId: string, transactionId: string): Promise<StoredAccountTransfer | undefined>;
  /** Writes the events and the state after them, and ends the timer; undefined when the transfer has changed meanwhile. */
  apply(
    transfer: StoredAccountTransfer,
    events: readonly AccountTransferEvent[],
    nowMs: number,
  ): Promise<StoredAccountTransfer | undefined>;
  /** Notes that its amount is reserved; undefined when the transfer has changed meanwhile. */
  markCounted(transfer: StoredAccountTransfer): Promise<StoredAccountTransfer | undefined>;
  /** Removes one that was never accepted. */
  remove(transfer: StoredAccountTransfer): Promise<boolean>;
  list(query: AccountTransferQuery): Promise<StoredAccountTransfer[]>;
  fromDocument(document: StoredAccountTransferDocument): StoredAccountTransfer;
};

/** Opens the collection with the index that a merchant's list needs; lists by account use that of the transfers. */
export async function openAccountTransferStore(store: Store, afterWrite: AfterWrite): Promise<AccountTransferStore> {
  const aggregates = await openAggregates<AccountTransferDocument, EventType<'money-out'>>(store, TRANSFERS, {
    schema: 1,
    afterWrite,
  });
  await aggregates.collection.createIndex(
    { merchant_id: 1, transaction_id: -1 },
    { name: 'account-transfers-of-merchant', partialFilterExpression: { product: ACCOUNT_TRANSFER } },
  );
  return {
    references: openReferences(store),
    payments: await openPayments(store),
    spendings: openSpendings(store),
    fromDocument: (document) => fromDocument(aggregates.read(document)),
    async insert(order) {
      const id = referenceId(order.accountId, order.referenceNumber);
      const document = await aggregates.insert(id, order.merchantId, newDocument(order), []);
      return document && fromDocument(document);
    },
    async find(accountId, referenceNumber) {
      const document = await aggregates.find(referenceId(accountId, referenceNumber), { linearizable: true });
      return document?.product === ACCOUNT_TRANSFER ? fromDocument(document) : undefined;
    },
    async findByTransactionId(merchantId, transactionId) {
      const filter = { merchant_id: merchantId, transaction_id: transactionId, product: ACCOUNT_TRANSFER };
      const document = await aggregates.findOne(filter);
      return document && fromDocument(document);
    },
    async apply(transfer, events, nowMs) {
      const state = events.reduce(evolve, transfer.state);
      const document = await aggregates.change(transfer.document, {
        set: toStateFields(state),
        unset: ['due_at', 'lease_until'],
        events: events.map(() => toEvent(transfer.order, state, nowMs)),
      });
      return document && fromDocument(document);
    },
    async markCounted(transfer) {
      const document = await aggregates.change(transfer.document, { set: { counted: true } });
      return document && fromDocument(document);
    },
    remove: (transfer) => aggregates.removeUnannounced(transfer.document),
    async list(query) {
      const found = await aggregates.list(filterOf(query), { sort: { transaction_id: -1 }, limit: query.limit });
      return found.map(fromDocument);
    },
  };
}

function filterOf({ merchantId, accountId, before, referenceNumber, fromMs, toMs }: AccountTransferQuery) {
  const createdAt = dateRange(fromMs, toMs);
  return {
    merchant_id: merchantId,
    product: ACCOUNT_TRANSFER,
    status: 'succeeded' as const,
    ...(accountId !== undefined && { account_id: accountId }),
    ...(before !== undefined && { transaction_id: { $lt: before } }),
    ...(referenceNumber !== undefined && { reference_number: referenceNumber }),
    ...(createdAt !== undefined && { created_at: createdAt }),
  };
}
