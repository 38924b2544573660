import type { AggregateDocument, Due } from '@gerbang/store';
import type { Choice, Decision, DiscrepancyOrder, DiscrepancyState, Kind } from './discrepancy.ts';

/** A discrepancy as it was read, with the version that the next change is conditional on. */
export type StoredDiscrepancy = {
  order: DiscrepancyOrder;
  state: DiscrepancyState;
  document: StoredDiscrepancyDocument;
};

type DecisionDocument = { choice: Choice; net_sen: bigint; fee_sen: bigint; vendor_fee_sen: bigint };

/** Fields that some states have and others do not. */
type StateFields = {
  status: DiscrepancyState['status'];
  inquiries?: number;
  reason?: 'agreed' | 'unanswered';
  kind?: Kind;
  told_at?: Date;
  refusals?: number;
  decision?: DecisionDocument;
  ended_at?: Date;
  /** Since when an operator should decide. */
  open_since?: Date;
};

export type DiscrepancyDocument = Due &
  StateFields & {
    charge_id: string;
    refund_id?: string;
    account_id: string;
    partition: string;
    reference_number: string;
    amount_sen: bigint;
    created_at: Date;
  };

export type StoredDiscrepancyDocument = AggregateDocument<DiscrepancyDocument>;

const STATE_FIELDS = ['inquiries', 'reason', 'kind', 'told_at', 'refusals', 'decision', 'ended_at', 'open_since'] as const;

export function newDiscrepancyDocument(order: DiscrepancyOrder, state: DiscrepancyState): DiscrepancyDocument {
  return {
    charge_id: order.chargeId,
    ...(order.refundId !== undefined && { refund_id: order.refundId }),
    account_id: order.accountId,
    partition: order.partition,
    reference_number: order.referenceNumber,
    amount_sen: order.amountSen,
    created_at: new Date(order.createdAtMs),
    ...toStateFields(state),
  };
}

/** The fields that make a document stand so, and those that it must not have any more. */
export function stateChange(state: DiscrepancyState, document: StoredDiscrepancyDocument) {
  const set = toStateFields(state);
  return { set, unset: STATE_FIELDS.filter((field) => !(field in set) && field in document) };
}

function toStateFields(state: DiscrepancyState): StateFields {
  switch (state.status) {
    case 'watching':
      return { status: state.status, inquiries: state.inquiries };
    case 'closed':
      return { status: state.status, reason: state.reason, ended_at: new Date(state.endedAtMs) };
    case 'booking':
    case 'open':
    case 'moving':
    case 'decided': {
      const { status, kind, toldAtMs, refusals } = state;
      return {
        status,
        kind,
        told_at: new Date(toldAtMs),
        refusals,
        ...('decision' in state && { decision: toDecisionDocument(state.decision) }),
        ...(status === 'open' && { open_since: new Date(toldAtMs) }),
        ...('endedAtMs' in state && { ended_at: new Date(state.endedAtMs) }),
      };
    }
    default:
      return state satisfies never;
  }
}

function toDecisionDocument({ choice, sums }: Decision): DecisionDocument {
  return { choice, net_sen: sums.netSen, fee_sen: sums.feeSen, vendor_fee_sen: sums.vendorFeeSen };
}

export function fromDiscrepancyDocument(document: StoredDiscrepancyDocument): StoredDiscrepancy {
  const order: DiscrepancyOrder = {
    id: document._id,
    chargeId: document.charge_id,
    refundId: document.refund_id,
    merchantId: document.merchant_id,
    accountId: document.account_id,
    partition: document.partition,
    referenceNumber: document.reference_number,
    amountSen: document.amount_sen,
    createdAtMs: document.created_at.getTime(),
  };
  return { order, state: toState(document), document };
}

function toState(document: StoredDiscrepancyDocument): DiscrepancyState {
  const { status } = document;
  switch (status) {
    case 'watching':
      return { status, inquiries: must(document, document.inquiries) };
    case 'closed':
      return { status, reason: must(document, document.reason), endedAtMs: must(document, document.ended_at).getTime() };
    case 'booking':
    case 'open':
      return { status, ...toTold(document) };
    case 'moving':
      return { status, ...toTold(document), decision: toDecision(must(document, document.decision)) };
    case 'decided': {
      const endedAtMs = must(document, document.ended_at).getTime();
      return { status, ...toTold(document), decision: toDecision(must(document, document.decision)), endedAtMs };
    }
    default:
      return status satisfies never;
  }
}

function toTold(document: StoredDiscrepancyDocument) {
  const { kind, told_at, refusals } = document;
  return {
    kind: must(document, kind),
    toldAtMs: must(document, told_at).getTime(),
    refusals: must(document, refusals),
  };
}

function toDecision({ choice, net_sen, fee_sen, vendor_fee_sen }: DecisionDocument): Decision {
  return { choice, sums: { netSen: net_sen, feeSen: fee_sen, vendorFeeSen: vendor_fee_sen } };
}

function must<T>({ _id, status }: StoredDiscrepancyDocument, value: T | undefined): T {
  if (value === undefined) throw new Error(`discrepancy ${_id} is ${status} and lacks a field`);
  return value;
}
