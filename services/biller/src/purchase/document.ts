import type { PrepaidRequest } from '@gerbang/rails/prepaid';
import type { AggregateDocument, Due } from '@gerbang/store';
import type { Inquiry } from '../inquiry/inquiry.ts';
import type { Proposal, PurchaseState, Resolution } from './purchase.ts';
import { RESUME_AFTER_MS } from './schedule.ts';

/** What a merchant bought; never changes. Amounts in sen, times in Unix milliseconds of business time. */
export type PurchaseOrder = Omit<Inquiry, 'createdAtMs'> & {
  transactionId: string;
  partition: string;
  accountId: string;
  createdAtMs: number;
};

/** How a purchase is stored. Which fields it has besides `status` depends on it; those of earlier states may be left over. */
export type PurchaseDocument = Due & {
  transaction_id: string;
  partition: string;
  account_id: string;
  command: string;
  product_code: string;
  rail_code: string;
  gives_token: boolean;
  customer_id: string;
  customer_name: string;
  amount_sen: bigint;
  admin_sen: bigint;
  created_at: Date;
  status: PurchaseState['status'];
  inquiries?: number;
  pending_reason?: string;
  unresolved_at?: Date;
  compensations?: number;
  proposed_operator?: string;
  proposed_outcome?: Resolution;
  proposed_token?: string;
  /** Absent in documents of earlier versions: such a proposal counts no more. */
  proposed_at?: Date;
  /** What a proposer called himself in documents of earlier versions: such a proposal counts no more. */
  proposed_by?: string;
  rail_reference?: string;
  serial_number?: string;
  /** Sealed to the reference number. */
  sealed_token?: string;
  failed_code?: string;
  failed_reason?: string;
  processed_at?: Date;
};

export type StoredPurchaseDocument = AggregateDocument<PurchaseDocument>;

/** A purchase as it was read, with the document that the next change is conditional on. */
export type StoredPurchase = { order: PurchaseOrder; state: PurchaseState; document: StoredPurchaseDocument };

/** Fields that are there only while they are true; a state that does not set them ends them. */
const PASSING = [
  'unresolved_at',
  'proposed_operator',
  'proposed_outcome',
  'proposed_token',
  'proposed_at',
  'proposed_by',
] as const;

export function newDocument(order: PurchaseOrder): PurchaseDocument {
  return {
    transaction_id: order.transactionId,
    partition: order.partition,
    account_id: order.accountId,
    command: order.command,
    product_code: order.productCode,
    rail_code: order.railCode,
    gives_token: order.givesToken,
    customer_id: order.customerId,
    customer_name: order.customerName,
    amount_sen: order.amountSen,
    admin_sen: order.adminSen,
    created_at: new Date(order.createdAtMs),
    status: 'created',
    due_at: new Date(order.createdAtMs + RESUME_AFTER_MS),
  };
}

/** The exact request to the rail, the same whenever it is sent: all of it is stored and never changes. */
export function requestOf(order: PurchaseOrder): PrepaidRequest {
  return {
    partnerReference: order.referenceNumber,
    transactionId: order.transactionId,
    railCode: order.railCode,
    customerNumber: order.customerId,
    amountSen: order.amountSen.toString(),
    givesToken: order.givesToken,
  };
}

/** The fields to set for a state, and those of the document before that end with it. */
export function toStateFields(state: PurchaseState, before: object) {
  const set = stateFields(state);
  return { set, unset: PASSING.filter((field) => field in before && !(field in set)) };
}

function stateFields(state: PurchaseState): Partial<PurchaseDocument> {
  switch (state.status) {
    case 'created':
      return { status: 'created' };
    case 'held':
      return {
        status: 'held',
        inquiries: state.inquiries,
        pending_reason: state.pendingReason,
        compensations: state.compensations,
        ...(state.unresolvedAtMs !== undefined && { unresolved_at: new Date(state.unresolvedAtMs) }),
        ...(state.proposal !== undefined && proposalFields(state.proposal)),
      };
    case 'succeeded':
      return {
        status: 'succeeded',
        rail_reference: state.railReference,
        serial_number: state.serialNumber,
        ...(state.sealedToken !== undefined && { sealed_token: state.sealedToken }),
        processed_at: new Date(state.processedAtMs),
      };
    case 'failed':
      return {
        status: 'failed',
        failed_code: state.code,
        failed_reason: state.reason,
        processed_at: new Date(state.processedAtMs),
      };
    default:
      return state satisfies never;
  }
}

function proposalFields({ operator, outcome, sealedToken, proposedAtMs }: Proposal) {
  return {
    proposed_operator: operator,
    proposed_outcome: outcome,
    proposed_at: new Date(proposedAtMs),
    ...(sealedToken !== undefined && { proposed_token: sealedToken }),
  };
}

export function fromDocument(document: StoredPurchaseDocument): StoredPurchase {
  const order: PurchaseOrder = {
    referenceNumber: document._id,
    transactionId: document.transaction_id,
    merchantId: document.merchant_id,
    partition: document.partition,
    accountId: document.account_id,
    command: document.command,
    productCode: document.product_code,
    railCode: document.rail_code,
    givesToken: document.gives_token,
    customerId: document.customer_id,
    customerName: document.customer_name,
    amountSen: document.amount_sen,
    adminSen: document.admin_sen,
    createdAtMs: document.created_at.getTime(),
  };
  return { order, state: fromStateFields(document), document };
}

/** The state of a document; throws when it lacks what its status needs. */
function fromStateFields(document: StoredPurchaseDocument): PurchaseState {
  const must = <Field extends keyof PurchaseDocument>(field: Field) => present(document, field);
  switch (document.status) {
    case 'created':
      return { status: 'created' };
    case 'held':
      return {
        status: 'held',
        inquiries: must('inquiries'),
        pendingReason: must('pending_reason'),
        unresolvedAtMs: document.unresolved_at?.getTime(),
        proposal: proposalOf(document),
        compensations: must('compensations'),
      };
    case 'succeeded':
      return {
        status: 'succeeded',
        railReference: must('rail_reference'),
        serialNumber: must('serial_number'),
        sealedToken: document.sealed_token,
        processedAtMs: must('processed_at').getTime(),
      };
    case 'failed':
      return {
        status: 'failed',
        code: must('failed_code'),
        reason: must('failed_reason'),
        processedAtMs: must('processed_at').getTime(),
      };
    default:
      return document.status satisfies never;
  }
}

function proposalOf(document: PurchaseDocument): Proposal | undefined {
  const { proposed_operator: operator, proposed_outcome: outcome, proposed_token: sealedToken } = document;
  if (operator === undefined || outcome === undefined || document.proposed_at === undefined) return undefined;
  return { operator, outcome, sealedToken, proposedAtMs: document.proposed_at.getTime() };
}

function present<Field extends keyof PurchaseDocument>(
  document: StoredPurchaseDocument,
  field: Field,
): NonNullable<PurchaseDocument[Field]> {
  const value: PurchaseDocument[Field] = document[field];
  if (value === undefined || value === null) throw new Error(`purchase ${document._id} is ${document.status} without ${field}`);
  return value;
}
