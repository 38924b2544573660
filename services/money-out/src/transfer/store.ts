import { create, toBinary } from '@bufbuild/protobuf';
import {
  DisbursementAcceptedSchema,
  DisbursementFinishedSchema,
  type Transfer,
  TransferSchema,
  TransferStatus,
} from '@gerbang/proto/gerbang/money_out/v1/money_out';
import {
  type AfterWrite,
  type AggregateDocument,
  type Aggregates,
  type Due,
  dateRange,
  type NewEvent,
  openAggregates,
  type Store,
} from '@gerbang/store';
import { DISBURSEMENT, openReferences, type References, referenceId, TRANSFERS } from './reference.ts';
import { RESUME_AFTER_MS } from './schedule.ts';
import { evolve, type Proposal, type Resolution, type TransferEvent, type TransferState } from './transfer.ts';

/** What a merchant asked for; never changes. Amounts in sen, times in Unix milliseconds of business time. */
export type TransferOrder = {
  transactionId: string;
  merchantId: string;
  partition: string;
  accountId: string;
  referenceNumber: string;
  /** Of the validated content, to tell a repetition from another order under the same reference. */
  contentHash: string;
  amountSen: bigint;
  feeSen: bigint;
  /** As the merchant wrote it, national or SWIFT code. */
  bankCode: string;
  /** The bank's national code. */
  railBankCode: string;
  bankName: string;
  bankAccountNumber: string;
  bankAccountName: string;
  description: string;
  createdAtMs: number;
};

/** The document's own fields: snake_case, bigint sen, dates. Field names here and only here. */
type TransferDocument = Due & {
  transaction_id: string;
  partition: string;
  account_id: string;
  reference_number: string;
  content_hash: string;
  product: typeof DISBURSEMENT;
  amount_sen: bigint;
  fee_sen: bigint;
  bank_code: string;
  rail_bank_code: string;
  bank_name: string;
  bank_account_number: string;
  bank_account_name: string;
  description: string;
  created_at: Date;
  status: TransferState['status'];
  balance_after_sen?: bigint;
  request?: string;
  inquiries?: number;
  pending_reason?: string;
  unresolved_at?: Date;
  proposed_by?: string;
  proposed_outcome?: Resolution;
  rail_reference?: string;
  processed_at?: Date;
  failed_code?: string;
  failed_reason?: string;
  beneficiary_unknown?: boolean;
};

export type StoredTransferDocument = AggregateDocument<TransferDocument>;

type Stored = StoredTransferDocument;

/** A transfer as it was read: what was ordered, how it stands, and the version that the next change is conditional on. */
export type StoredTransfer = { order: TransferOrder; state: TransferState; document: Stored };

/**
 * The disbursements of all accounts; `_id` = "<account>:<reference>", so that a reference is used once (architecture §3). The collection has
 * account transfers too: this store does not see them, beyond `references`.
 */
export type TransferStore = {
  aggregates: Aggregates<TransferDocument>;
  references: References;
  /** Undefined when the reference is taken, by whatever product. */
  insert(order: TransferOrder): Promise<StoredTransfer | undefined>;
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
  fromDocument(document: Stored): StoredTransfer;
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
  const aggregates = await openAggregates<TransferDocument>(store, TRANSFERS, { schema: 1, afterWrite });
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
    async insert(order) {
      const document = await aggregates.insert(
        referenceId(order.accountId, order.referenceNumber),
        order.merchantId,
        newDocument(order),
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
      return document === null ? undefined : fromDocument(aggregates.read(document as Stored));
    },
    async apply(transfer, events, nowMs, nextDueMs) {
      const state = events.reduce(evolve, transfer.state);
      const { set, unset } = stateFields(state);
      const published = events.flatMap((event) => toEvent(transfer.order, state, event, nowMs));
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
      return documents.map((document) => fromDocument(aggregates.read(document as Stored)));
    },
    async listUnresolved(limit) {
      const documents = await collection
        .find({ unresolved_at: { $type: 'date' }, status: 'sent' }, { sort: { unresolved_at: 1 }, limit })
        .toArray();
      return documents.map((document) => fromDocument(aggregates.read(document as Stored)));
    },
  };
}

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

/** What others hear of an event: acceptance and the end; waiting is nobody's business. */
function toEvent(order: TransferOrder, state: TransferState, event: TransferEvent, nowMs: number): NewEvent[] {
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

function newDocument(order: TransferOrder): TransferDocument {
  return {
    transaction_id: order.transactionId,
    partition: order.partition,
    account_id: order.accountId,
    reference_number: order.referenceNumber,
    content_hash: order.contentHash,
    product: DISBURSEMENT,
    amount_sen: order.amountSen,
    fee_sen: order.feeSen,
    bank_code: order.bankCode,
    rail_bank_code: order.railBankCode,
    bank_name: order.bankName,
    bank_account_number: order.bankAccountNumber,
    bank_account_name: order.bankAccountName,
    description: order.description,
    created_at: new Date(order.createdAtMs),
    status: 'created',
    due_at: new Date(order.createdAtMs + RESUME_AFTER_MS),
  };
}

type StateFields = { set: Partial<TransferDocument>; unset: (keyof TransferDocument)[] };

function stateFields(state: TransferState): StateFields {
  switch (state.status) {
    case 'created':
      return { set: { status: 'created' }, unset: [] };
    case 'sent': {
      const { balanceAfterSen, request, inquiries, pendingReason, unresolvedAtMs, proposal } = state;
      return {
        set: {
          status: 'sent',
          balance_after_sen: balanceAfterSen,
          request,
          inquiries,
          pending_reason: pendingReason,
          ...(unresolvedAtMs !== undefined && { unresolved_at: new Date(unresolvedAtMs) }),
          ...(proposal !== undefined && { proposed_by: proposal.operator, proposed_outcome: proposal.outcome }),
        },
        unset: [],
      };
    }
    case 'succeeded':
      return {
        set: { status: 'succeeded', rail_reference: state.railReference, processed_at: new Date(state.processedAtMs) },
        unset: ['unresolved_at'],
      };
    case 'failed':
      return {
        set: {
          status: 'failed',
          failed_code: state.failedCode,
          failed_reason: state.failedReason,
          beneficiary_unknown: state.beneficiaryUnknown,
          processed_at: new Date(state.processedAtMs),
        },
        unset: ['unresolved_at'],
      };
    default:
      return state satisfies never;
  }
}

function fromDocument(document: Stored): StoredTransfer {
  const order: TransferOrder = {
    transactionId: document.transaction_id,
    merchantId: document.merchant_id,
    partition: document.partition,
    accountId: document.account_id,
    referenceNumber: document.reference_number,
    contentHash: document.content_hash,
    amountSen: document.amount_sen,
    feeSen: document.fee_sen,
    bankCode: document.bank_code,
    railBankCode: document.rail_bank_code,
    bankName: document.bank_name,
    bankAccountNumber: document.bank_account_number,
    bankAccountName: document.bank_account_name,
    description: document.description,
    createdAtMs: document.created_at.getTime(),
  };
  return { order, state: toState(document), document };
}

function toState(document: Stored): TransferState {
  switch (document.status) {
    case 'created':
      return { status: 'created' };
    case 'sent':
      return {
        status: 'sent',
        balanceAfterSen: present(document, 'balance_after_sen'),
        request: present(document, 'request'),
        inquiries: present(document, 'inquiries'),
        pendingReason: present(document, 'pending_reason'),
        unresolvedAtMs: document.unresolved_at?.getTime(),
        proposal: proposalOf(document),
      };
    case 'succeeded':
      return {
        status: 'succeeded',
        balanceAfterSen: present(document, 'balance_after_sen'),
        railReference: present(document, 'rail_reference'),
        processedAtMs: present(document, 'processed_at').getTime(),
      };
    case 'failed':
      return {
        status: 'failed',
        failedCode: present(document, 'failed_code'),
        failedReason: present(document, 'failed_reason'),
        beneficiaryUnknown: present(document, 'beneficiary_unknown'),
        processedAtMs: present(document, 'processed_at').getTime(),
      };
    default:
      return document.status satisfies never;
  }
}

function proposalOf(document: Stored): Proposal | undefined {
  const { proposed_by: operator, proposed_outcome: outcome } = document;
  return operator === undefined || outcome === undefined ? undefined : { operator, outcome };
}

function present<K extends keyof TransferDocument>(document: Stored, field: K): NonNullable<TransferDocument[K]> {
  const value: TransferDocument[K] = document[field];
  if (value === undefined || value === null) throw new Error(`transfer ${document._id} is ${document.status} without ${field}`);
  return value;
}
