import type { AggregateDocument, Due } from '@gerbang/store';
import { toRequest, writeRequest } from './rail-request.ts';
import { DISBURSEMENT } from './reference.ts';
import { RESUME_AFTER_MS } from './schedule.ts';
import type { Proposal, Resolution, TransferState } from './transfer.ts';

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
export type TransferDocument = Due & {
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
  request?: string;
  balance_after_sen?: bigint;
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

/** A transfer as it was read: what was ordered, how it stands, and the version that the next change is conditional on. */
export type StoredTransfer = { order: TransferOrder; state: TransferState; document: StoredTransferDocument };

export function newDocument(order: TransferOrder, request: string): TransferDocument {
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
    request,
    due_at: new Date(order.createdAtMs + RESUME_AFTER_MS),
  };
}

type StateFields = { set: Partial<TransferDocument>; unset: (keyof TransferDocument)[] };

export function stateFields(state: TransferState): StateFields {
  switch (state.status) {
    case 'created':
      return { set: { status: 'created', request: state.request }, unset: [] };
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
        set: {
          status: 'succeeded',
          balance_after_sen: state.balanceAfterSen,
          rail_reference: state.railReference,
          processed_at: new Date(state.processedAtMs),
        },
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

export function fromDocument(document: StoredTransferDocument): StoredTransfer {
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
  return { order, state: toState(document, order), document };
}

function toState(document: StoredTransferDocument, order: TransferOrder): TransferState {
  switch (document.status) {
    case 'created':
      // An instance of the version before has made the request only when the funds were held.
      return { status: 'created', request: document.request ?? writeRequest(toRequest(order, order.createdAtMs)) };
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

function proposalOf(document: StoredTransferDocument): Proposal | undefined {
  const { proposed_by: operator, proposed_outcome: outcome } = document;
  return operator === undefined || outcome === undefined ? undefined : { operator, outcome };
}

function present<K extends keyof TransferDocument>(document: StoredTransferDocument, field: K): NonNullable<TransferDocument[K]> {
  const value: TransferDocument[K] = document[field];
  if (value === undefined || value === null) throw new Error(`transfer ${document._id} is ${document.status} without ${field}`);
  return value;
}
