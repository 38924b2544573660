import type { EventType } from '@gerbang/present';
import type { AggregateDocument, Change, Due, NewEvent } from '@gerbang/store';
import type { Payer } from '../payment/order.ts';
import type { Kinds } from './kind.ts';
import type { PaymentRequestState, PaymentRequestStatus } from './payment-request.ts';
import type { Details, PaymentRequest, PaymentRequestOrder, ShownPayment } from './request.ts';

/** The document's own fields: snake_case, bigint sen, dates. */
export type PaymentRequestDocument = Due & {
  kind: string;
  /** `publicId`, padded where it is a number, so that it sorts as the number does. */
  sort_id: string;
  partition: string;
  account_id: string;
  merchant_reff_no: string;
  created_at: Date;
  updated_at: Date;
  status: PaymentRequestStatus;
  min_sen: bigint;
  max_sen: bigint;
  max_uses?: number;
  used: number;
  in_flight: string[];
  expires_at?: Date;
  ended_at?: Date;
  details: Details;
  payment?: PaymentDocument;
  asked?: number;
};

type PaymentDocument = {
  amount_sen: bigint;
  tip_sen: bigint;
  fee_sen: bigint;
  net_sen: bigint;
  vendor_fee_sen: bigint;
  our_margin_sen: bigint;
  basis_points: number;
  paid_at: Date;
  settle_at: Date;
  settled_at?: Date;
  rail_reference: string;
  payer?: Payer;
};

export type StoredDocument = AggregateDocument<PaymentRequestDocument>;

/** A payment request as it was read, with the version that the next change is conditional on. */
export type StoredPaymentRequest = PaymentRequest & { document: StoredDocument };

/** What is written with a change of state: fields that it sets, and the events that it publishes. */
export type ChangedFields = {
  details?: Details;
  payment?: ShownPayment;
  nowMs: number;
  published: readonly NewEvent<EventType<'money-in'>>[];
};

const NUMBER_WIDTH = 16;

/** The key of lists: ids that are numbers sort as numbers. */
export function sortIdOf(publicId: string): string {
  return /^\d{1,16}$/.test(publicId) ? publicId.padStart(NUMBER_WIDTH, '0') : publicId;
}

/** A new one, as it is stored. */
export function newDocument(
  kinds: Kinds,
  order: PaymentRequestOrder,
  state: PaymentRequestState,
  details: Details,
): PaymentRequestDocument {
  const createdAt = new Date(order.createdAtMs);
  return {
    kind: details.kind,
    sort_id: sortIdOf(order.publicId),
    partition: order.partition,
    account_id: order.accountId,
    merchant_reff_no: order.merchantReffNo,
    created_at: createdAt,
    updated_at: createdAt,
    status: state.status,
    min_sen: state.minSen,
    max_sen: state.maxSen,
    ...(state.maxUses !== undefined && { max_uses: state.maxUses }),
    used: state.used,
    in_flight: [...state.inFlight],
    ...(state.expiresAtMs !== undefined && { expires_at: new Date(state.expiresAtMs), due_at: new Date(state.expiresAtMs) }),
    details: kinds.of(details.kind).codec.toDocument(details),
  };
}

/** What is written to make it the one after the change; its lease is over. */
export function changeOf(
  kinds: Kinds,
  next: PaymentRequest,
  { details, payment, nowMs, published }: ChangedFields,
): Change<PaymentRequestDocument, EventType<'money-in'>> {
  const { set, unset } = stateFields(next.state);
  return {
    set: {
      ...set,
      ...(details !== undefined && { details: kinds.of(details.kind).codec.toDocument(details) }),
      ...(payment !== undefined && { payment: paymentDocument(payment) }),
      updated_at: new Date(nowMs),
    },
    unset: [...unset, 'lease_until', 'lease_by'],
    events: published,
  };
}

type StateFields = { set: Partial<PaymentRequestDocument>; unset: (keyof PaymentRequestDocument)[] };

/** While it is active its timer is its expiry. */
function stateFields(state: PaymentRequestState): StateFields {
  const { status, minSen, maxSen, maxUses, used, inFlight, expiresAtMs, endedAtMs } = state;
  const expiresAt = expiresAtMs === undefined ? undefined : new Date(expiresAtMs);
  const due = status === 'active' && expiresAt !== undefined;
  return {
    set: {
      status,
      min_sen: minSen,
      max_sen: maxSen,
      used,
      in_flight: [...inFlight],
      ...(maxUses !== undefined && { max_uses: maxUses }),
      ...(expiresAt !== undefined && { expires_at: expiresAt }),
      ...(due && { due_at: expiresAt }),
      ...(endedAtMs !== undefined && { ended_at: new Date(endedAtMs) }),
    },
    unset: [
      ...(maxUses === undefined ? (['max_uses'] as const) : []),
      ...(expiresAt === undefined ? (['expires_at'] as const) : []),
      ...(due ? [] : (['due_at'] as const)),
    ],
  };
}

/** As it is read. */
export function fromDocument(kinds: Kinds, document: StoredDocument): StoredPaymentRequest {
  const { kind, sort_id } = document;
  return {
    order: {
      id: document._id,
      publicId: /^\d{16}$/.test(sort_id) ? String(BigInt(sort_id)) : sort_id,
      merchantId: document.merchant_id,
      partition: document.partition,
      accountId: document.account_id,
      merchantReffNo: document.merchant_reff_no,
      createdAtMs: document.created_at.getTime(),
    },
    state: {
      status: document.status,
      minSen: document.min_sen,
      maxSen: document.max_sen,
      maxUses: document.max_uses,
      used: document.used,
      inFlight: document.in_flight,
      expiresAtMs: document.expires_at?.getTime(),
      endedAtMs: document.ended_at?.getTime(),
    },
    details: kinds.of(kind).codec.fromDocument(document.details),
    payment: document.payment === undefined ? undefined : fromPaymentDocument(document.payment),
    asked: document.asked,
    updatedAtMs: document.updated_at.getTime(),
    eventsCount: Number(document.last_seq),
    document,
  };
}

function paymentDocument(payment: ShownPayment): PaymentDocument {
  return {
    amount_sen: payment.amountSen,
    tip_sen: payment.tipSen,
    fee_sen: payment.feeSen,
    net_sen: payment.netSen,
    vendor_fee_sen: payment.vendorFeeSen,
    our_margin_sen: payment.ourMarginSen,
    basis_points: payment.basisPoints,
    paid_at: new Date(payment.paidAtMs),
    settle_at: new Date(payment.settleAtMs),
    ...(payment.settledAtMs !== undefined && { settled_at: new Date(payment.settledAtMs) }),
    rail_reference: payment.railReference,
    ...(payment.payer !== undefined && { payer: payment.payer }),
  };
}

function fromPaymentDocument(document: PaymentDocument): ShownPayment {
  return {
    amountSen: document.amount_sen,
    tipSen: document.tip_sen,
    feeSen: document.fee_sen,
    netSen: document.net_sen,
    vendorFeeSen: document.vendor_fee_sen,
    ourMarginSen: document.our_margin_sen,
    basisPoints: document.basis_points,
    paidAtMs: document.paid_at.getTime(),
    settleAtMs: document.settle_at.getTime(),
    settledAtMs: document.settled_at?.getTime(),
    railReference: document.rail_reference,
    payer: document.payer,
  };
}
