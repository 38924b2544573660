import type { EventType } from '@gerbang/present';
import { type AfterWrite, type Aggregates, dateRange, openAggregates, type Store } from '@gerbang/store';
import {
  type DetailFields,
  fromDocument,
  newDocument,
  type StoredTransfer,
  type StoredTransferDocument,
  type TransferDocument,
} from './document.ts';
import { openPayments, type Payments } from './duplicate.ts';
import { evolve, type TransferEvent } from './event.ts';
import { toEvents } from './message.ts';
import type { Product, TransferOrder } from './product.ts';
import { openReferences, type References, referenceId, TRANSFERS } from './reference.ts';
import { nextDue } from './schedule.ts';
import { openSpendings, type Spendings } from './spending-store.ts';
import { type CancelReason, isHeld, type TransferState } from './state.ts';
import { toStateFields } from './state-document.ts';

/**
 * The transfers of all accounts and of the saga's products; `_id` = "<account>:<reference>", so that a reference is used once
 * (architecture §3). The collection has other products too, which this store does not see, beyond `references`.
 */
export type TransferStore = {
  aggregates: Aggregates<TransferDocument, EventType<'money-out'>>;
  references: References;
  payments: Payments;
  spendings: Spendings;
  /** Undefined when any product uses the reference already. `request`: the exact one that the rail will get. */
  insert(product: Product, order: TransferOrder, details: DetailFields, request: string): Promise<StoredTransfer | undefined>;
  find(accountId: string, referenceNumber: string, options?: { linearizable: boolean }): Promise<StoredTransfer | undefined>;
  findByTransactionId(transactionId: string): Promise<StoredTransfer | undefined>;
  /** By what its rail knows it by. */
  findByPartnerReference(partnerReference: string): Promise<StoredTransfer | undefined>;
  /**
   * Writes the events and the state after them, and when the timer fires next; undefined when the transfer has changed meanwhile.
   */
  apply(transfer: StoredTransfer, events: readonly TransferEvent[], nowMs: number): Promise<StoredTransfer | undefined>;
  /** Notes that its amount is reserved; undefined when the transfer has changed meanwhile. */
  markCounted(transfer: StoredTransfer): Promise<StoredTransfer | undefined>;
  /** Removes one that was never accepted. */
  remove(transfer: StoredTransfer): Promise<boolean>;
  list(query: TransferQuery): Promise<StoredTransfer[]>;
  /** What was ordered of a product in a period, by transaction ids after one and before another, in their order. */
  listOrdered(query: OrderedQuery): Promise<StoredTransfer[]>;
  /** What operators have to decide, the oldest first. */
  listUnresolved(limit: number): Promise<StoredTransfer[]>;
  fromDocument(document: StoredTransferDocument): StoredTransfer;
};

/** Finds the documents of states that differ in more than `status`. */
export type StateFilter = {
  status: { $in: Exclude<TransferState['status'], 'created'>[] };
  receipt?: { $exists: boolean };
  cancel_reason?: CancelReason;
};

/** Newest first, accepted ones only; `before` is a transaction id. */
export type TransferQuery = {
  product: Product;
  merchantId: string;
  accountId: string;
  limit: number;
  before: string | undefined;
  statuses: readonly TransferState['status'][] | undefined;
  /** In place of `statuses`. */
  state: StateFilter | undefined;
  referenceNumber: string | undefined;
  fromMs: number | undefined;
  toMs: number | undefined;
};

/** Transfers of all accounts by their transaction ids; with `amountsSen` only those of these amounts. */
export type OrderedQuery = {
  product: Product;
  after: string;
  end: string;
  fromMs: number;
  toMs: number;
  amountsSen: readonly bigint[] | undefined;
  limit: number;
};

/** Opens the collection with the indexes its queries need. */
export async function openTransferStore(
  store: Store,
  products: readonly Product[],
  afterWrite: AfterWrite,
): Promise<TransferStore> {
  const aggregates = await openAggregates<TransferDocument, EventType<'money-out'>>(store, TRANSFERS, { schema: 1, afterWrite });
  await createIndexes(aggregates);
  const byName = new Map(products.map((product) => [product.name, product]));
  const read = (document: StoredTransferDocument) => {
    const product = byName.get(document.product);
    if (product === undefined) throw new Error(`transfer ${document._id} is of the unknown product ${document.product}`);
    return fromDocument(product, document);
  };
  /** Of a product of the saga. */
  const readKnown = (document: StoredTransferDocument | undefined) =>
    document === undefined || !byName.has(document.product) ? undefined : read(document);
  return {
    aggregates,
    references: openReferences(store),
    payments: await openPayments(store),
    spendings: openSpendings(store),
    fromDocument: (document) => read(aggregates.read(document)),
    async insert(product, order, details, request) {
      const id = referenceId(order.accountId, order.referenceNumber);
      const document = newDocument(product, order, details, request);
      const inserted = await aggregates.insert(id, order.merchantId, document, []);
      return inserted && read(inserted);
    },
    find: async (accountId, referenceNumber, options) =>
      readKnown(await aggregates.find(referenceId(accountId, referenceNumber), options)),
    findByTransactionId: async (transactionId) => readKnown(await aggregates.findOne({ transaction_id: transactionId })),
    async findByPartnerReference(partnerReference) {
      const found = await aggregates.findOne({ partner_reference: partnerReference });
      // Rails know orders of earlier versions by the transaction id.
      return found === undefined ? readKnown(await aggregates.findOne({ transaction_id: partnerReference })) : readKnown(found);
    },
    async apply(transfer, events, nowMs) {
      const changed = await aggregates.change(transfer.document, changeOf(transfer, events, nowMs));
      return changed && read(changed);
    },
    async markCounted(transfer) {
      const marked = await aggregates.change(transfer.document, { set: { counted: true } });
      return marked && read(marked);
    },
    remove: (transfer) => aggregates.removeUnannounced(transfer.document),
    async list(query) {
      const found = await aggregates.list(filterOf(query), { sort: { transaction_id: -1 }, limit: query.limit });
      return found.map(read);
    },
    async listOrdered({ product, after, end, fromMs, toMs, amountsSen, limit }) {
      const filter = {
        transaction_id: { $gt: after, $lt: end },
        product: product.name,
        created_at: { $gte: new Date(fromMs), $lt: new Date(toMs) },
        ...(amountsSen !== undefined && { amount_sen: { $in: [...amountsSen] } }),
      };
      const found = await aggregates.list(filter, { sort: { transaction_id: 1 }, limit });
      return found.map(read);
    },
    async listUnresolved(limit) {
      const filter = { unresolved_at: { $type: 'date' as const } };
      const found = await aggregates.list(filter, { sort: { unresolved_at: 1 }, limit });
      return found.map(read);
    },
  };
}

async function createIndexes({ collection }: Aggregates<TransferDocument, EventType<'money-out'>>): Promise<void> {
  await collection.createIndex({ account_id: 1, transaction_id: -1 }, { name: 'newest' });
  await collection.createIndex({ transaction_id: 1 }, { name: 'by-transaction' });
  await collection.createIndex({ partner_reference: 1 }, { name: 'by-partner-reference' });
  await collection.createIndex(
    { unresolved_at: 1 },
    { name: 'unresolved', partialFilterExpression: { unresolved_at: { $type: 'date' } } },
  );
}

function changeOf(transfer: StoredTransfer, events: readonly TransferEvent[], nowMs: number) {
  const { product, document } = transfer;
  let { state } = transfer;
  const published = events.flatMap((event) => {
    state = evolve(state, event);
    return toEvents(transfer, state, event, nowMs);
  });
  const { set, unset } = toStateFields(product, state, document);
  const last = events.at(-1);
  const due = last === undefined ? 'unchanged' : nextDue(state, last, nowMs, product.cancel?.expiresAtMs(document));
  return {
    set: { ...set, ...(typeof due === 'object' && { due_at: new Date(due.atMs) }) },
    unset: [...unset, 'lease_until' as const, ...(due === 'never' ? (['due_at'] as const) : [])],
    events: published,
    quiet: isHeld(state),
  };
}

function filterOf({ product, merchantId, accountId, statuses, state, before, referenceNumber, fromMs, toMs }: TransferQuery) {
  const createdAt = dateRange(fromMs, toMs);
  return {
    account_id: accountId,
    merchant_id: merchantId,
    product: product.name,
    ...(state ?? { status: statuses === undefined ? { $ne: 'created' as const } : { $in: statuses } }),
    ...(before !== undefined && { transaction_id: { $lt: before } }),
    ...(referenceNumber !== undefined && { _id: referenceId(accountId, referenceNumber) }),
    ...(createdAt !== undefined && { created_at: createdAt }),
  };
}
