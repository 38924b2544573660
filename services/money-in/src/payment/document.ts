import type { EventType } from '@gerbang/present';
import type { AggregateDocument, Change, Due, NewEvent } from '@gerbang/store';
import type { Payer, Payment, PaymentOrder } from './order.ts';
import { nextDueMs } from './schedule.ts';
import type { FeeBreakdown, PaymentState, Problem, Reason, Report, Reversal, Target } from './state.ts';

/** A payment as it was read, with the version that the next change is conditional on. */
export type StoredPayment = Payment & { document: StoredPaymentDocument };

type FeesDocument = {
  amount_sen: bigint;
  fee_sen: bigint;
  net_sen: bigint;
  vendor_fee_sen: bigint;
  our_margin_sen: bigint;
  basis_points: number;
  settle_at: Date;
};

export type PaymentDocument = Due & {
  public_id: string;
  rail: string;
  rail_reference: string;
  paid_to: string;
  amount_sen: bigint;
  tip_sen: bigint;
  paid_at: Date;
  received_at: Date;
  money_taken: boolean;
  payer?: Payer;
  product: string;
  payable_id: string;
  account_id: string;
  partition: string;
  merchant_reff_no: string;
  /** Its name is from when virtual accounts were the only numbers of many payments. */
  virtual_account?: { id: string; number: string; bank_code: string };
  from_suspense?: string;
  status: PaymentState['status'];
  figures?: FeesDocument;
  reason?: Reason;
  target?: { merchant_id: string; account_id: string; partition: string };
  settled_at?: Date;
  suspended_at?: Date;
  reversal?: ReversalDocument;
  problem?: Problem;
  contested_at?: Date;
  report?: ReportDocument;
};

type ReportDocument = { kind: Report['kind']; reported_at: Date };
type ReversalDocument = ReportDocument & { taken_from: Reversal['takenFrom']; attempt: number };

export type StoredPaymentDocument = AggregateDocument<PaymentDocument>;

/** The events that a change publishes; and what is known anew of the payment, where the rail has reported its reversal first. */
export type ChangedFields = {
  nowMs: number;
  published: readonly NewEvent<EventType<'money-in'>>[];
  order?: PaymentOrder | undefined;
};

/** A new one, as it is stored: its timer takes it up should this process die. */
export function newDocument(order: PaymentOrder, state: PaymentState, nowMs: number): PaymentDocument {
  return { ...orderFields(order), ...stateFields(state, nowMs).set, ...dueFields(state, nowMs).set };
}

function orderFields(order: PaymentOrder) {
  const { paidNumber } = order;
  return {
    public_id: order.publicId,
    rail: order.rail,
    rail_reference: order.railReference,
    paid_to: order.paidTo,
    amount_sen: order.amountSen,
    tip_sen: order.tipSen,
    paid_at: new Date(order.paidAtMs),
    received_at: new Date(order.receivedAtMs),
    money_taken: order.moneyTaken,
    ...(order.payer !== undefined && { payer: order.payer }),
    product: order.product,
    payable_id: order.requestId,
    account_id: order.accountId,
    partition: order.partition,
    merchant_reff_no: order.merchantReffNo,
    ...(paidNumber !== undefined && {
      virtual_account: { id: paidNumber.id, number: paidNumber.number, bank_code: paidNumber.bankCode },
    }),
    ...(order.fromSuspense !== undefined && { from_suspense: order.fromSuspense }),
  };
}

/** What is written to make it stand so; its lease is over. */
export function changeOf(
  payment: StoredPayment,
  next: PaymentState,
  { nowMs, published, order }: ChangedFields,
): Change<PaymentDocument, EventType<'money-in'>> {
  const fields = stateFields(next, nowMs);
  const due = dueFields(next, nowMs);
  const left = STATE_FIELDS.filter((field) => !(field in fields.set) && field in payment.document);
  return {
    set: { ...(order !== undefined && orderFields(order)), ...fields.set, ...due.set },
    unset: [...left, ...due.unset, 'lease_until', 'lease_by'],
    events: published,
  };
}

/** Its timer, by what there is to do. */
function dueFields(state: PaymentState, nowMs: number): { set: { due_at?: Date }; unset: 'due_at'[] } {
  const dueMs = nextDueMs(state, nowMs);
  return dueMs === undefined ? { set: {}, unset: ['due_at'] } : { set: { due_at: new Date(dueMs) }, unset: [] };
}

type StateFields = Pick<PaymentDocument, 'status'> & Partial<PaymentDocument>;

/** Fields that some states have and others do not, beyond those that stay once they are known. */
const STATE_FIELDS = ['suspended_at', 'reversal', 'problem', 'contested_at', 'report'] as const;

function stateFields(state: PaymentState, nowMs: number): { set: StateFields } {
  const { status } = state;
  switch (status) {
    case 'received':
      return { set: { status } };
    case 'accepted':
    case 'paid':
      return { set: { status, figures: feesDocument(state.fees) } };
    case 'settled':
      return { set: { status, figures: feesDocument(state.fees), settled_at: new Date(state.settledAtMs) } };
    case 'refused':
    case 'suspending':
    case 'refunding':
    case 'refunded':
      return { set: { status, reason: state.reason } };
    case 'suspended':
      return { set: { status, reason: state.reason, suspended_at: new Date(nowMs) } };
    case 'crediting':
    case 'credited': {
      const { merchantId, accountId, partition } = state.target;
      const target = { merchant_id: merchantId, account_id: accountId, partition };
      return { set: { status, reason: state.reason, target, figures: feesDocument(state.fees) } };
    }
    case 'reversing':
    case 'reversed':
      return { set: { status, reversal: reversalDocument(state.reversal) } };
    case 'contested':
      return {
        set: { status, reversal: reversalDocument(state.reversal), problem: state.problem, contested_at: new Date(nowMs) },
      };
    case 'withdrawn':
      return { set: { status, report: reportDocument(state.report) } };
    default:
      return status satisfies never;
  }
}

function reportDocument({ kind, reportedAtMs }: Report): ReportDocument {
  return { kind, reported_at: new Date(reportedAtMs) };
}

function reversalDocument({ takenFrom, attempt, ...report }: Reversal): ReversalDocument {
  return { ...reportDocument(report), taken_from: takenFrom, attempt };
}

/** As it is read. */
export function fromDocument(document: StoredPaymentDocument): StoredPayment {
  const { virtual_account: paid } = document;
  const order: PaymentOrder = {
    id: document._id,
    publicId: document.public_id,
    rail: document.rail,
    railReference: document.rail_reference,
    paidTo: document.paid_to,
    amountSen: document.amount_sen,
    tipSen: document.tip_sen,
    paidAtMs: document.paid_at.getTime(),
    receivedAtMs: document.received_at.getTime(),
    moneyTaken: document.money_taken,
    payer: document.payer,
    product: document.product,
    requestId: document.payable_id,
    merchantId: document.merchant_id,
    accountId: document.account_id,
    partition: document.partition,
    merchantReffNo: document.merchant_reff_no,
    paidNumber: paid && { id: paid.id, number: paid.number, bankCode: paid.bank_code },
    fromSuspense: document.from_suspense,
  };
  return { order, state: toState(document), document };
}

function toState(document: StoredPaymentDocument): PaymentState {
  const { status } = document;
  switch (status) {
    case 'received':
      return { status };
    case 'accepted':
    case 'paid':
      return { status, fees: feesOf(document) };
    case 'settled':
      return { status, fees: feesOf(document), settledAtMs: present(document, 'settled_at').getTime() };
    case 'refused':
    case 'suspending':
    case 'suspended':
    case 'refunding':
    case 'refunded':
      return { status, reason: present(document, 'reason') };
    case 'crediting':
    case 'credited': {
      const { merchant_id: merchantId, account_id: accountId, partition } = present(document, 'target');
      const target: Target = { merchantId, accountId, partition };
      return { status, reason: present(document, 'reason'), target, fees: feesOf(document) };
    }
    case 'reversing':
    case 'reversed':
    case 'contested': {
      const reversal = reversalOf(present(document, 'reversal'));
      const kept = { fees: feesOf(document), reversal, settledAtMs: document.settled_at?.getTime() };
      return status === 'contested' ? { status, ...kept, problem: present(document, 'problem') } : { status, ...kept };
    }
    case 'withdrawn':
      return { status, report: reportOf(present(document, 'report')) };
    default:
      return status satisfies never;
  }
}

function reportOf({ kind, reported_at }: ReportDocument): Report {
  return { kind, reportedAtMs: reported_at.getTime() };
}

function reversalOf({ taken_from: takenFrom, attempt, ...report }: ReversalDocument): Reversal {
  return { ...reportOf(report), takenFrom, attempt };
}

function feesDocument(fees: FeeBreakdown): FeesDocument {
  return {
    amount_sen: fees.amountSen,
    fee_sen: fees.feeSen,
    net_sen: fees.netSen,
    vendor_fee_sen: fees.vendorFeeSen,
    our_margin_sen: fees.ourMarginSen,
    basis_points: fees.basisPoints,
    settle_at: new Date(fees.settleAtMs),
  };
}

function feesOf(document: StoredPaymentDocument): FeeBreakdown {
  const figures = present(document, 'figures');
  return {
    amountSen: figures.amount_sen,
    feeSen: figures.fee_sen,
    netSen: figures.net_sen,
    vendorFeeSen: figures.vendor_fee_sen,
    ourMarginSen: figures.our_margin_sen,
    basisPoints: figures.basis_points,
    settleAtMs: figures.settle_at.getTime(),
  };
}

function present<K extends keyof PaymentDocument>(document: StoredPaymentDocument, field: K): NonNullable<PaymentDocument[K]> {
  const value: PaymentDocument[K] = document[field];
  if (value === undefined || value === null) throw new Error(`payment ${document._id} is ${document.status} without ${field}`);
  return value;
}
