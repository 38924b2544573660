import { create, toBinary } from '@bufbuild/protobuf';
import type { EventType } from '@gerbang/present';
import {
  AccountTransferFinishedSchema,
  type AccountTransfer as AccountTransferMessage,
  AccountTransferSchema,
  TransferStatus,
} from '@gerbang/proto/gerbang/money_out/v1/money_out';
import { type AfterWrite, type AggregateDocument, type Due, dateRange, openAggregates, type Store } from '@gerbang/store';
import { ACCOUNT_TRANSFER, openReferences, type References, referenceId, TRANSFERS } from '../transfer/reference.ts';
import { RESUME_AFTER_MS } from '../transfer/schedule.ts';
import { type AccountTransferEvent, type AccountTransferState, evolve } from './account-transfer.ts';

/** What a merchant asked for; never changes. Sen, Unix milliseconds of business time. */
export type AccountTransferOrder = {
  transactionId: string;
  merchantId: string;
  partition: string;
  /** The source: references are unique among its transactions. */
  accountId: string;
  destinationAccountId: string;
  referenceNumber: string;
  /** Of the validated content, to tell a repetition from another order under the same reference. */
  contentHash: string;
  amountSen: bigint;
  note: string;
  createdAtMs: number;
};

/** The document's own fields: snake_case, bigint sen, dates. Field names here and only here. */
type AccountTransferDocument = Due & {
  transaction_id: string;
  partition: string;
  account_id: string;
  destination_account_id: string;
  reference_number: string;
  content_hash: string;
  product: typeof ACCOUNT_TRANSFER;
  amount_sen: bigint;
  note: string;
  created_at: Date;
  status: AccountTransferState['status'];
  balance_after_sen?: bigint;
  processed_at?: Date;
};

export type StoredAccountTransferDocument = AggregateDocument<AccountTransferDocument>;

/** An account transfer as it was read, and the version that the next change is conditional on. */
export type StoredAccountTransfer = {
  order: AccountTransferOrder;
  state: AccountTransferState;
  document: StoredAccountTransferDocument;
};

/** Newest first, accepted ones alone; `before` is a transaction id. */
export type AccountTransferQuery = {
  merchantId: string;
  accountId: string | undefined;
  limit: number;
  before: string | undefined;
  referenceNumber: string | undefined;
  fromMs: number | undefined;
  toMs: number | undefined;
};

/** The account transfers of all accounts, in the collection of all money-out transactions; this store does not see the others, beyond `references`. */
export type AccountTransferStore = {
  references: References;
  /** Undefined when the reference is taken, by whatever product. */
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
  /** Removes one that was never accepted. */
  remove(transfer: StoredAccountTransfer): Promise<boolean>;
  list(query: AccountTransferQuery): Promise<StoredAccountTransfer[]>;
  fromDocument(document: StoredAccountTransferDocument): StoredAccountTransfer;
};

/** Opens the collection with the index that a merchant's list needs; lists by account use that of the disbursements. */
export async function openAccountTransferStore(store: Store, afterWrite: AfterWrite): Promise<AccountTransferStore> {
  const aggregates = await openAggregates<AccountTransferDocument, EventType<'money-out'>>(store, TRANSFERS, {
    schema: 1,
    afterWrite,
  });
  const { collection } = aggregates;
  await collection.createIndex(
    { merchant_id: 1, transaction_id: -1 },
    { name: 'account-transfers-of-merchant', partialFilterExpression: { product: ACCOUNT_TRANSFER } },
  );
  const read = (document: StoredAccountTransferDocument) => fromDocument(aggregates.read(document));
  return {
    references: openReferences(store),
    fromDocument: read,
    async insert(order) {
      const id = referenceId(order.accountId, order.referenceNumber);
      const document = await aggregates.insert(id, order.merchantId, newDocument(order), []);
      return document === undefined ? undefined : fromDocument(document);
    },
    async find(accountId, referenceNumber) {
      const document = await aggregates.find(referenceId(accountId, referenceNumber), { linearizable: true });
      return document?.product === ACCOUNT_TRANSFER ? fromDocument(document) : undefined;
    },
    async findByTransactionId(merchantId, transactionId) {
      const document = await collection.findOne({
        merchant_id: merchantId,
        transaction_id: transactionId,
        product: ACCOUNT_TRANSFER,
      });
      return document === null ? undefined : read(document as StoredAccountTransferDocument);
    },
    async apply(transfer, events, nowMs) {
      const state = events.reduce(evolve, transfer.state);
      const document = await aggregates.change(transfer.document, {
        set: stateFields(state),
        unset: ['due_at', 'lease_until'],
        events: events.map(() => toEvent(transfer.order, state, nowMs)),
      });
      return document === undefined ? undefined : fromDocument(document);
    },
    remove: (transfer) => aggregates.removeUnannounced(transfer.document),
    async list({ merchantId, accountId, limit, before, referenceNumber, fromMs, toMs }) {
      const createdAt = dateRange(fromMs, toMs);
      const documents = await collection
        .find(
          {
            merchant_id: merchantId,
            product: ACCOUNT_TRANSFER,
            status: 'succeeded',
            ...(accountId !== undefined && { account_id: accountId }),
            ...(before !== undefined && { transaction_id: { $lt: before } }),
            ...(referenceNumber !== undefined && { reference_number: referenceNumber }),
            ...(createdAt !== undefined && { created_at: createdAt }),
          },
          { sort: { transaction_id: -1 }, limit },
        )
        .toArray();
      return documents.map((document) => read(document as StoredAccountTransferDocument));
    },
  };
}

/** The transfer as the contract between services shows it. */
export function toMessage(order: AccountTransferOrder, state: AccountTransferState): AccountTransferMessage {
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
        processedAtMs: BigInt(state.processedAtMs),
      });
    default:
      return state satisfies never;
  }
}

/** For the timeline; merchants are sent nothing. */
function toEvent(order: AccountTransferOrder, state: AccountTransferState, nowMs: number) {
  const finished = create(AccountTransferFinishedSchema, { accountTransfer: toMessage(order, state) });
  const payload = toBinary(AccountTransferFinishedSchema, finished);
  return { type: 'account-transfer.succeeded' as const, schema: 1, payload, atMs: nowMs };
}

function newDocument(order: AccountTransferOrder): AccountTransferDocument {
  return {
    transaction_id: order.transactionId,
    partition: order.partition,
    account_id: order.accountId,
    destination_account_id: order.destinationAccountId,
    reference_number: order.referenceNumber,
    content_hash: order.contentHash,
    product: ACCOUNT_TRANSFER,
    amount_sen: order.amountSen,
    note: order.note,
    created_at: new Date(order.createdAtMs),
    status: 'created',
    due_at: new Date(order.createdAtMs + RESUME_AFTER_MS),
  };
}

function stateFields(state: AccountTransferState): Partial<AccountTransferDocument> {
  switch (state.status) {
    case 'created':
      return { status: 'created' };
    case 'succeeded':
      return {
        status: 'succeeded',
        balance_after_sen: state.balanceAfterSen,
        processed_at: new Date(state.processedAtMs),
      };
    default:
      return state satisfies never;
  }
}

function fromDocument(document: StoredAccountTransferDocument): StoredAccountTransfer {
  const order: AccountTransferOrder = {
    transactionId: document.transaction_id,
    merchantId: document.merchant_id,
    partition: document.partition,
    accountId: document.account_id,
    destinationAccountId: document.destination_account_id,
    referenceNumber: document.reference_number,
    contentHash: document.content_hash,
    amountSen: document.amount_sen,
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
  return { status: 'succeeded', balanceAfterSen, processedAtMs: processedAt.getTime() };
}
