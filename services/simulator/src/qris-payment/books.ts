import type { Clock } from '@gerbang/core';
import { isDuplicateKey, type Store, traced } from '@gerbang/store';
import type { Verdict } from '../bank-transfer/beneficiary.ts';

/** The payment of a code as the acquirer has accepted or refused it. */
export type QrisBooking = {
  partnerReference: string;
  merchantReference: string;
  /** What the partner calls it, where it has told; else its reference. */
  transactionId: string;
  /** Partner, Jakarta day and external id. */
  externalKey: string;
  /** All of it, tip included. */
  amountSen: bigint;
  payload: string;
  /** The acquirer's own reference. */
  referenceNo: string;
  rrn: string;
  verdict: Verdict;
};

/** A payment as it stands now in business time. */
export type QrisEntry = Omit<QrisBooking, 'verdict'> & {
  status: 'pending' | 'success' | 'failed' | 'canceled' | 'reversed';
  /** What the payer calls the refund; undefined where it has asked for none. */
  refundReference: string | undefined;
  /** SNAP case and message of a payment that has failed. */
  failure: { responseCode: string; message: string } | undefined;
  settlesAtMs: number;
  /** When the money went back; undefined where it stayed. */
  reversedAtMs: number | undefined;
};

type ScanDocument = { _id: string; schema: number; payload: string };
type ClaimDocument = { _id: string; schema: number; partner_reference: string };
type EntryDocument = {
  _id: string;
  schema: number;
  external_key: string;
  merchant_reference: string;
  /** Absent in books of before, whose partner's reference it was. */
  transaction_id?: string;
  amount_sen: bigint;
  payload: string;
  reference_no: string;
  rrn: string;
  outcome: 'success' | 'failed';
  failure_code: string;
  failure_message: string;
  settles_at: Date;
  /** When the money went back to the payer; absent where it stayed. */
  reversed_at?: Date;
  /** Of a reversal that the payer has asked for. */
  refund_reference?: string;
  /** When a pending payment was canceled. */
  canceled_at?: Date;
};

/**
 * What the acquirer knows of those who pay codes. One document a payment, its `_id` the partner's reference: what becomes of it
 * is decided when it is accepted and written with it; until `settles_at` it is pending.
 */
export type QrisBooks = {
  /** Keeps a decoded code under the reference that it may be paid by; false when the reference has another code. */
  scan(partnerReference: string, payload: string): Promise<boolean>;
  /** The code that was decoded under the reference. */
  findScan(partnerReference: string): Promise<string | undefined>;
  /** Gives a code for one payment to the first who asks for it; the reference of who has it. */
  claim(payload: string, partnerReference: string): Promise<string>;
  /** The reference of who has paid a code for one payment. */
  claimedBy(payload: string): Promise<string | undefined>;
  /** Books a payment, or says which of its two numbers has been used before. */
  book(booking: QrisBooking): Promise<'booked' | 'reference-used' | 'external-id-used'>;
  find(partnerReference: string): Promise<QrisEntry | undefined>;
  /**
   * Takes back a payment that was made; gives it as it then stands, also where it was never made or is reversed already.
   * `refundReference` where its payer asks for it.
   */
  reverse(partnerReference: string, refundReference?: string): Promise<QrisEntry | undefined>;
  /** Cancels a payment that is pending, so that its code can be paid by another; gives it as it then stands. */
  cancel(partnerReference: string): Promise<QrisEntry | undefined>;
  /** Every payment, by the partner's reference. */
  all(): AsyncIterable<QrisEntry>;
  /** Those that settled, or went back, from one moment to another, the second one not included. */
  between(what: 'settled' | 'reversed', fromMs: number, toMs: number): Promise<QrisEntry[]>;
};

const SCHEMA = 1;
const BATCH = 1_000;
const PAYMENTS = 'qris_payments';

export async function openQrisBooks(store: Store, clock: Clock): Promise<QrisBooks> {
  const scans = store.collection<ScanDocument>('qris_scans');
  const claims = store.collection<ClaimDocument>('qris_claims');
  const payments = store.collection<EntryDocument>(PAYMENTS);
  await payments.createIndex({ external_key: 1 }, { name: 'external_key', unique: true });
  await payments.createIndex({ settles_at: 1 }, { name: 'settles_at' });
  await payments.createIndex({ reversed_at: 1 }, { name: 'reversed_at', sparse: true });
  const options = { readConcern: 'linearizable' } as const;
  const findScan = async (_id: string) => (await scans.findOne({ _id }, options))?.payload;
  const claimedBy = async (_id: string) => (await claims.findOne({ _id }, options))?.partner_reference;
  const find = async (_id: string) => {
    const document = await traced('findOne', PAYMENTS, () => payments.findOne({ _id }, options));
    return document === null ? undefined : toEntry(document, clock.now());
  };
  return {
    async scan(_id, payload) {
      if (await isNew(scans.insertOne({ _id, schema: SCHEMA, payload }))) return true;
      return (await findScan(_id)) === payload;
    },
    findScan,
    async claim(_id, partnerReference) {
      await isNew(claims.insertOne({ _id, schema: SCHEMA, partner_reference: partnerReference }));
      return (await claimedBy(_id)) ?? '';
    },
    claimedBy,
    async book(booking) {
      if (await isNew(traced('insertOne', PAYMENTS, () => payments.insertOne(toDocument(booking, clock.now()))))) return 'booked';
      const there = await payments.findOne({ _id: booking.partnerReference }, options);
      return there === null || there.external_key === booking.externalKey ? 'external-id-used' : 'reference-used';
    },
    find,
    async reverse(_id, refundReference) {
      const now = new Date(clock.now());
      const open = { reversed_at: { $exists: false }, canceled_at: { $exists: false } };
      const made = { _id, outcome: 'success', settles_at: { $lte: now }, ...open } as const;
      const reversal = { reversed_at: now, ...(refundReference !== undefined && { refund_reference: refundReference }) };
      await traced('updateOne', PAYMENTS, () => payments.updateOne(made, { $set: reversal }));
      return find(_id);
    },
    async cancel(_id) {
      const now = new Date(clock.now());
      const pending = { _id, settles_at: { $gt: now } };
      await traced('updateOne', PAYMENTS, () => payments.updateOne(pending, { $set: { canceled_at: now } }));
      const after = await find(_id);
      if (after?.status === 'canceled') await claims.deleteOne({ _id: after.payload, partner_reference: _id });
      return after;
    },
    async between(what, fromMs, toMs) {
      const range = { $gte: new Date(fromMs), $lt: new Date(toMs) };
      const found = await payments.find(what === 'settled' ? { settles_at: range } : { reversed_at: range }).toArray();
      return found.map((document) => toEntry(document, clock.now()));
    },
    async *all() {
      const nowMs = clock.now();
      for await (const document of payments.find({}, { sort: { _id: 1 }, batchSize: BATCH })) yield toEntry(document, nowMs);
    },
  };
}

/** Whether an insert found its keys free. */
async function isNew(insert: Promise<unknown>): Promise<boolean> {
  try {
    await insert;
    return true;
  } catch (error) {
    if (isDuplicateKey(error)) return false;
    throw error;
  }
}

function toDocument({ verdict, ...booking }: QrisBooking, nowMs: number): EntryDocument {
  return {
    _id: booking.partnerReference,
    schema: SCHEMA,
    external_key: booking.externalKey,
    merchant_reference: booking.merchantReference,
    transaction_id: booking.transactionId,
    amount_sen: booking.amountSen,
    payload: booking.payload,
    reference_no: booking.referenceNo,
    rrn: booking.rrn,
    outcome: verdict.outcome,
    failure_code: verdict.outcome === 'failed' ? verdict.responseCode : '',
    failure_message: verdict.outcome === 'failed' ? verdict.message : '',
    settles_at: new Date(nowMs + verdict.afterMs),
  };
}

function toEntry(document: EntryDocument, nowMs: number): QrisEntry {
  const status = statusOf(document, nowMs);
  return {
    partnerReference: document._id,
    merchantReference: document.merchant_reference,
    transactionId: document.transaction_id ?? document._id,
    externalKey: document.external_key,
    amountSen: document.amount_sen,
    payload: document.payload,
    referenceNo: document.reference_no,
    rrn: document.rrn,
    status,
    refundReference: document.refund_reference,
    failure: status === 'failed' ? { responseCode: document.failure_code, message: document.failure_message } : undefined,
    settlesAtMs: document.settles_at.getTime(),
    reversedAtMs: document.reversed_at?.getTime(),
  };
}

function statusOf(document: EntryDocument, nowMs: number): QrisEntry['status'] {
  const { outcome, settles_at: settlesAt, reversed_at: reversedAt, canceled_at: canceledAt } = document;
  if (canceledAt !== undefined) return 'canceled';
  if (nowMs < settlesAt.getTime()) return 'pending';
  return reversedAt === undefined ? outcome : 'reversed';
}
