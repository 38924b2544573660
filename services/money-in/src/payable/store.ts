import {
  type AfterWrite,
  type AggregateDocument,
  type Aggregates,
  type Change,
  type Due,
  dateRange,
  type NewEvent,
  openAggregates,
  type Store,
} from '@gerbang/store';
import { evolve, type PayableEvent, type PayableState, type PayableStatus } from './payable.ts';
import type { Details, Kind, Payer } from './product.ts';

export const PAYABLES = 'payables';

/** What a merchant asked for; never changes. Times in Unix milliseconds of business time. */
export type PayableOrder = {
  /** "<kind>:<ULID>". */
  id: string;
  /** What merchants call it: a ULID, or a number as text. */
  publicId: string;
  merchantId: string;
  partition: string;
  accountId: string;
  merchantReffNo: string;
  createdAtMs: number;
};

/** The one payment of a payable that is paid once: what its resource shows of it. */
export type Payment = {
  amountSen: bigint;
  tipSen: bigint;
  feeSen: bigint;
  netSen: bigint;
  vendorFeeSen: bigint;
  ourMarginSen: bigint;
  basisPoints: number;
  paidAtMs: number;
  settleAtMs: number;
  settledAtMs: number | undefined;
  railReference: string;
  payer: Payer | undefined;
};

/** A payable as it was read: what was ordered, how it stands, and the version that the next change is conditional on. */
export type StoredPayable = {
  order: PayableOrder;
  state: PayableState;
  details: Details;
  payment: Payment | undefined;
  /** How often its rail has been asked what has become of it, and has not said, since it was due; absent: never. */
  asked?: number | undefined;
  updatedAtMs: number;
  eventsCount: number;
  document: StoredPayableDocument;
};

/** The document's own fields: snake_case, bigint sen, dates. */
type PayableDocument = Due & {
  kind: Kind;
  /** `publicId`, padded where it is a number, so that it sorts as the number does. */
  sort_id: string;
  partition: string;
  account_id: string;
  merchant_reff_no: string;
  created_at: Date;
  updated_at: Date;
  status: PayableStatus;
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

export type StoredPayableDocument = AggregateDocument<PayableDocument>;

/** Newest first; `before` is a `publicId`. */
export type PayableQuery = {
  kind: Kind;
  merchantId: string;
  accountId: string;
  limit: number;
  before: string | undefined;
  status: PayableStatus | undefined;
  merchantReffNo: string | undefined;
  /** Of histories: the id of their link. */
  link: string | undefined;
  fromMs: number | undefined;
  toMs: number | undefined;
};

/** What changes beside the state, and which events others hear of the change. */
export type Beside = { details?: Details; payment?: Payment; nowMs: number; published: readonly NewEvent[] };

export type PayableStore = {
  aggregates: Aggregates<PayableDocument>;
  /** Undefined when the id is taken. */
  insert(
    order: PayableOrder,
    state: PayableState,
    details: Details,
    events: readonly NewEvent[],
  ): Promise<StoredPayable | undefined>;
  find(id: string): Promise<StoredPayable | undefined>;
  /** In any order, without those that are not there. */
  findMany(ids: readonly string[]): Promise<StoredPayable[]>;
  findByPublicId(kind: Kind, accountId: string, publicId: string): Promise<StoredPayable | undefined>;
  /** The payable as it will be once the events have been applied; what `apply` then writes. */
  after(payable: StoredPayable, events: readonly PayableEvent[], beside: Omit<Beside, 'published'>): StoredPayable;
  /** Writes the events and the state after them; undefined when the payable has changed meanwhile. */
  apply(payable: StoredPayable, events: readonly PayableEvent[], beside: Beside): Promise<StoredPayable | undefined>;
  /** The same for many; those that have changed meanwhile stay as they are. */
  applyMany(changes: readonly { payable: StoredPayable; events: readonly PayableEvent[]; beside: Beside }[]): Promise<void>;
  /** Puts timers off: there is something to wait for. Those that have changed meanwhile stay as they are. */
  postponeMany(waits: readonly { payable: StoredPayable; untilMs: number; asked: number }[]): Promise<void>;
  list(query: PayableQuery): Promise<StoredPayable[]>;
  fromDocument(document: StoredPayableDocument): StoredPayable;
};

const NUMBER_WIDTH = 16;

/** The key of lists: ids that are numbers sort as numbers. */
function sortIdOf(publicId: string): string {
  return /^\d{1,16}$/.test(publicId) ? publicId.padStart(NUMBER_WIDTH, '0') : publicId;
}

/** Opens the payables of all products with the indexes that their queries need. */
export async function openPayableStore(store: Store, afterWrite: AfterWrite): Promise<PayableStore> {
  const aggregates = await openAggregates<PayableDocument>(store, PAYABLES, { schema: 1, afterWrite });
  const { collection } = aggregates;
  await collection.createIndex({ account_id: 1, kind: 1, sort_id: -1 }, { name: 'newest' });
  const read = (document: StoredPayableDocument) => fromDocument(aggregates.read(document));
  const after: PayableStore['after'] = (payable, events, { details, payment, nowMs }) => ({
    ...payable,
    state: events.reduce(evolve, payable.state),
    details: details ?? payable.details,
    payment: payment ?? payable.payment,
    updatedAtMs: nowMs,
  });
  return {
    aggregates,
    after,
    fromDocument: read,
    async insert(order, state, details, events) {
      const document = await aggregates.insert(order.id, order.merchantId, newDocument(order, state, details), events);
      return document === undefined ? undefined : fromDocument(document);
    },
    async find(id) {
      const document = await aggregates.find(id);
      return document === undefined ? undefined : fromDocument(document);
    },
    async findMany(ids) {
      const documents = await collection.find({ _id: { $in: [...ids] } }).toArray();
      return documents.map((document) => read(document as StoredPayableDocument));
    },
    async findByPublicId(kind, accountId, publicId) {
      const document = await collection.findOne({ account_id: accountId, kind, sort_id: sortIdOf(publicId) });
      return document === null ? undefined : read(document as StoredPayableDocument);
    },
    async apply(payable, events, beside) {
      const document = await aggregates.change(payable.document, changeOf(after(payable, events, beside), beside));
      return document === undefined ? undefined : fromDocument(document);
    },
    async applyMany(changes) {
      await Promise.all(
        changes.map(({ payable, events, beside }) =>
          aggregates.change(payable.document, changeOf(after(payable, events, beside), beside)),
        ),
      );
    },
    async postponeMany(waits) {
      await Promise.all(
        waits.map(({ payable, untilMs, asked }) =>
          aggregates.change(payable.document, {
            set: { due_at: new Date(untilMs), asked },
            unset: ['lease_until', 'lease_by'],
          }),
        ),
      );
    },
    async list(query) {
      const createdAt = dateRange(query.fromMs, query.toMs);
      const documents = await collection
        .find(
          {
            account_id: query.accountId,
            kind: query.kind,
            merchant_id: query.merchantId,
            ...(query.before !== undefined && { sort_id: { $lt: sortIdOf(query.before) } }),
            ...(query.status !== undefined && { status: query.status }),
            ...(query.merchantReffNo !== undefined && { merchant_reff_no: query.merchantReffNo }),
            ...(query.link !== undefined && { 'details.link': query.link }),
            ...(createdAt !== undefined && { created_at: createdAt }),
          },
          { sort: { sort_id: -1 }, limit: query.limit },
        )
        .toArray();
      return documents.map((document) => read(document as StoredPayableDocument));
    },
  };
}

function newDocument(order: PayableOrder, state: PayableState, details: Details): PayableDocument {
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
    details,
  };
}

function changeOf(next: StoredPayable, beside: Beside): Change<PayableDocument> {
  const { set, unset } = stateFields(next.state);
  return {
    set: {
      ...set,
      ...(beside.details !== undefined && { details: beside.details }),
      ...(beside.payment !== undefined && { payment: paymentDocument(beside.payment) }),
      updated_at: new Date(beside.nowMs),
    },
    unset: [...unset, 'lease_until', 'lease_by'],
    events: beside.published,
  };
}

type StateFields = { set: Partial<PayableDocument>; unset: (keyof PayableDocument)[] };

/** While it is active its timer is its expiry. */
function stateFields(state: PayableState): StateFields {
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

function fromDocument(document: StoredPayableDocument): StoredPayable {
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
    details: { ...document.details, kind } as Details,
    payment: document.payment === undefined ? undefined : fromPaymentDocument(document.payment),
    asked: document.asked,
    updatedAtMs: document.updated_at.getTime(),
    eventsCount: Number(document.last_seq),
    document,
  };
}

function paymentDocument(payment: Payment): PaymentDocument {
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

function fromPaymentDocument(document: PaymentDocument): Payment {
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
