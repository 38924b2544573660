import type { EventType } from '@gerbang/present';
import { type AfterWrite, type Aggregates, dateRange, openAggregates, type Store } from '@gerbang/store';
import { toEvent } from './message.ts';
import { DISBURSEMENT, openReferences, type References, referenceId, TRANSFERS } from './reference.ts';
import {
  fromDocument,
  newDocument,
  type StoredTransfer,
  type StoredTransferDocument,
  stateFields,
  type TransferDocument,
  type TransferOrder,
} from './stored-transfer.ts';
import { evolve, type TransferEvent, type TransferState } from './transfer.ts';

/**
 * The disbursements of all accounts; `_id` = "<account>:<reference>", so that a reference is used once (architecture §3). The collection has
 * account transfers too: this store does not see them, beyond `references`.
 */
export type TransferStore = {
  aggregates: Aggregates<TransferDocument, EventType<'money-out'>>;
  references: References;
  /** Undefined when the reference is taken, by whatever product. `request`: the exact one that the rail will get. */
  insert(order: TransferOrder, request: string): Promise<StoredTransfer | undefined>;
  find(accountId: string, referenceNumber: string, options?: { linearizable: boolean }): Promise<StoredTransfer | undefined>;
  findByTransactionId(accountId: string, transactionId: string): Promise<StoredTransfer | undefined>;
  /** Writes the events and the state after them; undefined when the transfer has changed meanwhile. `nextDueMs`: when its timer fires next. */
  apply(
    transfer: StoredTransfer,
    events: readonly TransferEvent[],
    nowMs: number,
    nextDueMs: number | undefined,
  ): Promise<StoredTransfer | undefined>;
  /** Removes one that was never accepted. */
  remove(transfer: StoredTransfer): Promise<boolean>;
  list(query: TransferQuery): Promise<StoredTransfer[]>;
  listUnresolved(limit: number): Promise<StoredTransfer[]>;
  fromDocument(document: StoredTransferDocument): StoredTransfer;
};

/** Newest first; `before` is a transaction id. */
export type TransferQuery = {
  merchantId: string;
  accountId: string;
  limit: number;
  before: string | undefined;
  status: TransferState['status'] | undefined;
  referenceNumber: string | undefined;
  fromMs: number | undefined;
  toMs: number | undefined;
};

/** Opens the collection with the indexes its queries need. */
export async function openTransferStore(store: Store, afterWrite: AfterWrite): Promise<TransferStore> {
  const aggregates = await openAggregates<TransferDocument, EventType<'money-out'>>(store, TRANSFERS, { schema: 1, afterWrite });
  const { collection } = aggregates;
  await collection.createIndex({ account_id: 1, transaction_id: -1 }, { name: 'newest' });
  await collection.createIndex(
    { unresolved_at: 1 },
    { name: 'unresolved', partialFilterExpression: { unresolved_at: { $type: 'date' } } },
  );
  return {
    aggregates,
    references: openReferences(store),
    fromDocument: (document) => fromDocument(aggregates.read(document)),
    async insert(order, request) {
      const document = await aggregates.insert(
        referenceId(order.accountId, order.referenceNumber),
        order.merchantId,
        newDocument(order, request),
        [],
      );
      return document === undefined ? undefined : fromDocument(document);
    },
    async find(accountId, referenceNumber, options) {
      const document = await aggregates.find(referenceId(accountId, referenceNumber), options);
      return document?.product === DISBURSEMENT ? fromDocument(document) : undefined;
    },
    async findByTransactionId(accountId, transactionId) {
      const document = await collection.findOne({
        account_id: accountId,
        transaction_id: transactionId,
        product: DISBURSEMENT,
      });
      return document === null ? undefined : fromDocument(aggregates.read(document as StoredTransferDocument));
    },
    async apply(transfer, events, nowMs, nextDueMs) {
      let { state } = transfer;
      const published = events.flatMap((event) => {
        state = evolve(state, event);
        return toEvent(transfer.order, state, event, nowMs);
      });
      const { set, unset } = stateFields(state);
      const document = await aggregates.change(transfer.document, {
        set: { ...set, ...(nextDueMs !== undefined && { due_at: new Date(nextDueMs) }) },
        unset: [...unset, 'lease_until', ...(nextDueMs === undefined ? (['due_at'] as const) : [])],
        events: published,
        quiet: state.status === 'sent',
      });
      return document === undefined ? undefined : fromDocument(document);
    },
    remove: (transfer) => aggregates.removeUnannounced(transfer.document),
    async list(query) {
      const createdAt = dateRange(query.fromMs, query.toMs);
      const documents = await collection
        .find(
          {
            account_id: query.accountId,
            merchant_id: query.merchantId,
            product: DISBURSEMENT,
            status: query.status ?? { $ne: 'created' },
            ...(query.before !== undefined && { transaction_id: { $lt: query.before } }),
            ...(query.referenceNumber !== undefined && { _id: referenceId(query.accountId, query.referenceNumber) }),
            ...(createdAt !== undefined && { created_at: createdAt }),
          },
          { sort: { transaction_id: -1 }, limit: query.limit },
        )
        .toArray();
      return documents.map((document) => fromDocument(aggregates.read(document as StoredTransferDocument)));
    },
    async listUnresolved(limit) {
      const documents = await collection
        .find({ unresolved_at: { $type: 'date' }, status: 'sent' }, { sort: { unresolved_at: 1 }, limit })
        .toArray();
      return documents.map((document) => fromDocument(aggregates.read(document as StoredTransferDocument)));
    },
  };
}
