import type { Product, TransferOrder } from './product.ts';
import { fromRefundFields, type RefundFields, toRefundFields } from './refund-document.ts';
import type {
  AcceptedFields,
  CancelReason,
  Ended,
  FailureCause,
  Held,
  PaidReport,
  Proposal,
  Receipt,
  Resolution,
  TransferState,
} from './state.ts';

/**
 * How a state is stored. Which fields a document has besides `status` depends on it; those of earlier states may be left over.
 */
export type StateFields = RefundFields & {
  status: TransferState['status'];
  request?: string;
  balance_after_sen?: bigint;
  /** The reference of an earlier order of the same payment; absent where there is none, and in documents of earlier versions. */
  possible_duplicate_of?: string;
  inquiries?: number;
  pending_reason?: string;
  receipt?: Receipt;
  cancel_reason?: CancelReason;
  /** Since when operators have to decide: the outcome, or about a report of the rail. */
  unresolved_at?: Date;
  /** What an operator proposes for an open transfer. Documents of earlier versions still have it when they have ended. */
  proposed_operator?: string;
  proposed_outcome?: Resolution;
  /** Absent in documents of earlier versions: such a proposal counts no more. */
  proposed_at?: Date;
  /** What an operator proposes for one that has ended. */
  correction_proposed_operator?: string;
  correction_proposed_outcome?: Resolution;
  correction_proposed_at?: Date;
  /** What a proposer called himself in documents of earlier versions: such a proposal counts no more. */
  proposed_by?: string;
  correction_proposed_by?: string;
  rail_reference?: string;
  processed_at?: Date;
  failed_code?: string;
  failed_reason?: string;
  failed_cause?: FailureCause;
  refunded_reason?: string;
  compensations?: number;
  /** The rail has reported that the money came back. */
  returned_reason?: string;
  /** The rail has reported that it paid a released transfer. */
  paid_rail_reference?: string;
  paid_approved?: boolean;
};

type Field = keyof StateFields;

/** Fields that are there only while they are true; a state that does not set them ends them. */
const PASSING = [
  'unresolved_at',
  'proposed_operator',
  'proposed_outcome',
  'proposed_at',
  'correction_proposed_operator',
  'correction_proposed_outcome',
  'correction_proposed_at',
  'proposed_by',
  'correction_proposed_by',
  'returned_reason',
  'refund_asked_at',
  'refund_attempts',
  'refund_reason',
  'paid_rail_reference',
  'paid_approved',
] as const satisfies readonly Field[];

/** The fields to set for a state, and those of the document before that end with it. */
export function toStateFields(product: Product, state: TransferState, before: object): { set: StateFields; unset: Field[] } {
  const set = fieldsOf(product, state);
  return { set, unset: PASSING.filter((field) => field in before && !(field in set)) };
}

function fieldsOf(product: Product, state: TransferState): StateFields {
  switch (state.status) {
    case 'created':
      return { status: 'created', request: state.request };
    case 'sent':
      return { status: 'sent', ...heldFields(state) };
    case 'canceling':
      return { status: 'canceling', ...heldFields(state), cancel_reason: state.cancelReason };
    case 'succeeded':
      return {
        status: 'succeeded',
        balance_after_sen: state.balanceAfterSen,
        rail_reference: state.railReference,
        ...endedFields(state),
        ...receiptFields(state.receipt),
        ...(state.returned !== undefined && { returned_reason: state.returned.reason }),
        ...toRefundFields(state.refund),
      };
    case 'failed': {
      const { code, reason, cause } = state.failure;
      return {
        status: 'failed',
        failed_code: code,
        failed_reason: reason,
        failed_cause: cause,
        ...product.storedCause?.write(cause),
        ...endedFields(state),
        ...paidFields(state.paid),
      };
    }
    case 'canceled':
      return { status: 'canceled', cancel_reason: state.cancelReason, ...endedFields(state), ...paidFields(state.paid) };
    case 'refunded':
      return {
        status: 'refunded',
        balance_after_sen: state.balanceAfterSen,
        rail_reference: state.railReference,
        refunded_reason: state.reason,
        ...endedFields(state),
        ...paidFields(state.paid),
      };
    default:
      return state satisfies never;
  }
}

function heldFields(state: Held): Omit<StateFields, 'status'> {
  return {
    balance_after_sen: state.balanceAfterSen,
    ...acceptedFields(state),
    request: state.request,
    inquiries: state.inquiries,
    pending_reason: state.pendingReason,
    ...receiptFields(state.receipt),
    ...(state.proposal !== undefined && {
      proposed_operator: state.proposal.operator,
      proposed_outcome: state.proposal.outcome,
      proposed_at: new Date(state.proposal.proposedAtMs),
    }),
    ...(state.unresolvedAtMs !== undefined && { unresolved_at: new Date(state.unresolvedAtMs) }),
  };
}

function receiptFields(receipt: Receipt) {
  return Object.keys(receipt).length === 0 ? {} : { receipt };
}

function acceptedFields({ possibleDuplicateOf }: AcceptedFields) {
  return possibleDuplicateOf === undefined ? {} : { possible_duplicate_of: possibleDuplicateOf };
}

function endedFields(state: Ended) {
  const { processedAtMs, compensations, proposal } = state;
  return {
    ...acceptedFields(state),
    processed_at: new Date(processedAtMs),
    ...(compensations > 0 && { compensations }),
    ...(proposal !== undefined && {
      correction_proposed_operator: proposal.operator,
      correction_proposed_outcome: proposal.outcome,
      correction_proposed_at: new Date(proposal.proposedAtMs),
    }),
  };
}

/** A report waits in the operators' queue until they have approved it. */
function paidFields(paid: PaidReport | undefined) {
  if (paid === undefined) return {};
  return {
    paid_rail_reference: paid.railReference,
    pending_reason: paid.reason,
    unresolved_at: new Date(paid.reportedAtMs),
    ...(paid.isApproved && { paid_approved: true }),
  };
}

/** The state of a document; throws when it lacks what its status needs. */
export function fromStateFields(product: Product, order: TransferOrder, document: StateFields & { _id: string }): TransferState {
  const must = <F extends Field>(field: F) => present(document, field);
  switch (document.status) {
    case 'created':
      // Earlier versions made the request only when the funds were held.
      return { status: 'created', request: document.request ?? product.requestOf(order, document, order.createdAtMs) };
    case 'sent':
      return { status: 'sent', ...heldOf(document) };
    case 'canceling':
      return { status: 'canceling', ...heldOf(document), cancelReason: must('cancel_reason') };
    case 'succeeded': {
      const { returned_reason: reason } = document;
      return {
        status: 'succeeded',
        balanceAfterSen: must('balance_after_sen'),
        railReference: must('rail_reference'),
        receipt: document.receipt ?? {},
        returned: reason === undefined ? undefined : { reason },
        refund: fromRefundFields(document),
        ...endedOf(document),
      };
    }
    case 'failed': {
      const cause = document.failed_cause ?? product.storedCause?.read(document) ?? 'other';
      const failure = { code: must('failed_code'), reason: must('failed_reason'), cause };
      return { status: 'failed', failure, ...endedOf(document), paid: paidOf(document) };
    }
    case 'canceled':
      return { status: 'canceled', cancelReason: must('cancel_reason'), ...endedOf(document), paid: paidOf(document) };
    case 'refunded':
      return {
        status: 'refunded',
        balanceAfterSen: must('balance_after_sen'),
        railReference: must('rail_reference'),
        reason: must('refunded_reason'),
        ...endedOf(document),
        paid: paidOf(document),
      };
    default:
      return document.status satisfies never;
  }
}

function heldOf(document: StateFields & { _id: string }) {
  return {
    balanceAfterSen: present(document, 'balance_after_sen'),
    possibleDuplicateOf: document.possible_duplicate_of,
    request: present(document, 'request'),
    inquiries: present(document, 'inquiries'),
    pendingReason: present(document, 'pending_reason'),
    receipt: document.receipt ?? {},
    unresolvedAtMs: document.unresolved_at?.getTime(),
    proposal: proposalOf(document.proposed_operator, document.proposed_outcome, document.proposed_at),
  };
}

function endedOf(document: StateFields & { _id: string }) {
  return {
    possibleDuplicateOf: document.possible_duplicate_of,
    processedAtMs: present(document, 'processed_at').getTime(),
    compensations: document.compensations ?? 0,
    proposal: proposalOf(
      document.correction_proposed_operator,
      document.correction_proposed_outcome,
      document.correction_proposed_at,
    ),
  };
}

function proposalOf(operator: string | undefined, outcome: Resolution | undefined, at: Date | undefined): Proposal | undefined {
  if (operator === undefined || outcome === undefined || at === undefined) return undefined;
  return { operator, outcome, proposedAtMs: at.getTime() };
}

function paidOf(document: StateFields & { _id: string }): PaidReport | undefined {
  const { paid_rail_reference: railReference } = document;
  if (railReference === undefined) return undefined;
  return {
    railReference,
    reason: present(document, 'pending_reason'),
    reportedAtMs: present(document, 'unresolved_at').getTime(),
    isApproved: document.paid_approved ?? false,
  };
}

function present<F extends Field>(document: StateFields & { _id: string }, field: F): NonNullable<StateFields[F]> {
  const value: StateFields[F] = document[field];
  if (value === undefined || value === null) throw new Error(`transfer ${document._id} is ${document.status} without ${field}`);
  return value;
}
