import type { EventType } from '@gerbang/present';
import type { AggregateDocument, Change, Due, NewEvent } from '@gerbang/store';
import type { Payer } from '../payable/product.ts';
import { evolve, type Figures, type PaymentEvent, type PaymentState, type Reason, type Target } from './payment.ts';
import { RESUME_AFTER_MS } from './schedule.ts';

/** The rails that bring money in, as they are named in the ledger and in the control API (contract §11). */
export type Rail = 'va' | 'qris' | 'ewallet' | 'retail';

/** What a rail has told of a payment, and whom it is for; never changes. Sen, Unix milliseconds of business time. */
export type PaymentOrder = {
  /** "<rail>:<partner>:<the rail's reference>": a payment is one whatever is told of it how often. */
  id: string;
  /** ULID: what merchants call it, and what the settlement names. */
  publicId: string;
  rail: Rail;
  railReference: string;
  /** The number, code or reference that was paid. */
  paidTo: string;
  amountSen: bigint;
  tipSen: bigint;
  /** By the rail's clock: what decides whether it was in time. */
  paidAtMs: number;
  receivedAtMs: number;
  /** The rail has the money, whatever is answered. */
  moneyTaken: boolean;
  payer: Payer | undefined;
  /** The product that is settled and charged for. */
  product: string;
  /** Whose it is; all of it empty where the number is nobody's. */
  payableId: string;
  merchantId: string;
  accountId: string;
  /** Of the merchant; of nobody's money the one that suspense is kept in. */
  partition: string;
  merchantReffNo: string;
  /** Of a payment of a virtual account. */
  virtualAccount: { id: string; number: string; bankCode: string } | undefined;
  /** An operator has credited it: the partition whose suspense it comes from. It counts as no use of its payable. */
  fromSuspense: string | undefined;
};

/** A payment as it was read, with the version that the next change is conditional on. */
export type StoredPayment = { order: PaymentOrder; state: PaymentState; document: StoredPaymentDocument };

type FiguresDocument = {
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
  rail: Rail;
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
  virtual_account?: { id: string; number: string; bank_code: string };
  from_suspense?: string;
  status: PaymentState['status'];
  figures?: FiguresDocument;
  reason?: Reason;
  target?: { merchant_id: string; account_id: string; partition: string };
  settled_at?: Date;
  suspended_at?: Date;
};

export type StoredPaymentDocument = AggregateDocument<PaymentDocument>;

/** When its timer fires next, undefined for never; and which events others hear of the change. */
export type Beside = { nowMs: number; nextDueMs: number | undefined; published: readonly NewEvent<EventType<'money-in'>>[] };

/** A new one, as it is stored: its timer takes it up should this process die. */
export function newDocument(order: PaymentOrder, state: PaymentState, nowMs: number): PaymentDocument {
  const fields = { ...orderFields(order), ...stateFields(state, nowMs).set, due_at: new Date(nowMs + RESUME_AFTER_MS) };
  return fields as PaymentDocument;
}

function orderFields(order: PaymentOrder) {
  const { virtualAccount: va } = order;
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
    payable_id: order.payableId,
    account_id: order.accountId,
    partition: order.partition,
    merchant_reff_no: order.merchantReffNo,
    ...(va !== undefined && { virtual_account: { id: va.id, number: va.number, bank_code: va.bankCode } }),
    ...(order.fromSuspense !== undefined && { from_suspense: order.fromSuspense }),
  };
}

/** What is written to make it the one after the events; its lease is over. */
export function changeOf(
  { state }: StoredPayment,
  events: readonly PaymentEvent[],
  { nowMs, nextDueMs, published }: Beside,
): Change<PaymentDocument, EventType<'money-in'>> {
  const { set, unset } = stateFields(events.reduce(evolve, state), nowMs);
  return {
    set: { ...set, ...(nextDueMs !== undefined && { due_at: new Date(nextDueMs) }) },
    unset: [...unset, 'lease_until', 'lease_by', ...(nextDueMs === undefined ? (['due_at'] as const) : [])],
    events: published,
  };
}

type StateFields = { set: Partial<PaymentDocument>; unset: (keyof PaymentDocument)[] };

function stateFields(state: PaymentState, nowMs: number): StateFields {
  const { status } = state;
  switch (status) {
    case 'received':
      return { set: { status }, unset: [] };
    case 'accepted':
    case 'paid':
      return { set: { status, figures: figuresDocument(state.figures) }, unset: [] };
    case 'settled':
      return { set: { status, figures: figuresDocument(state.figures), settled_at: new Date(state.settledAtMs) }, unset: [] };
    case 'refused':
    case 'suspending':
      return { set: { status, reason: state.reason }, unset: [] };
    case 'suspended':
      return { set: { status, reason: state.reason, suspended_at: new Date(nowMs) }, unset: [] };
    case 'refunding':
    case 'refunded':
      return { set: { status, reason: state.reason }, unset: ['suspended_at'] };
    case 'crediting':
    case 'credited': {
      const { merchantId, accountId, partition } = state.target;
      const target = { merchant_id: merchantId, account_id: accountId, partition };
      return { set: { status, reason: state.reason, target, figures: figuresDocument(state.figures) }, unset: ['suspended_at'] };
    }
    default:
      return status satisfies never;
  }
}

/** As it is read. */
export function fromDocument(document: StoredPaymentDocument): StoredPayment {
  const { virtual_account: va } = document;
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
    payableId: document.payable_id,
    merchantId: document.merchant_id,
    accountId: document.account_id,
    partition: document.partition,
    merchantReffNo: document.merchant_reff_no,
    virtualAccount: va === undefined ? undefined : { id: va.id, number: va.number, bankCode: va.bank_code },
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
      return { status, figures: figuresOf(document) };
    case 'settled':
      return { status, figures: figuresOf(document), settledAtMs: present(document, 'settled_at').getTime() };
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
      return { status, reason: present(document, 'reason'), target, figures: figuresOf(document) };
    }
    default:
      return status satisfies never;
  }
}

function figuresDocument(figures: Figures): FiguresDocument {
  return {
    amount_sen: figures.amountSen,
    fee_sen: figures.feeSen,
    net_sen: figures.netSen,
    vendor_fee_sen: figures.vendorFeeSen,
    our_margin_sen: figures.ourMarginSen,
    basis_points: figures.basisPoints,
    settle_at: new Date(figures.settleAtMs),
  };
}

function figuresOf(document: StoredPaymentDocument): Figures {
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
