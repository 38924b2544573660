import { isDuplicateKey, type Store, traced } from '@gerbang/store';
import type { MoneyInRail } from './rail.ts';
import { shareReads } from './shared-reads.ts';

/**
 * What has become of a customer's payment at the rail. `pending`: the gateway has not said yet whether it takes it. `canceled`: a
 * code or checkout that cannot be paid any more, which is no payment.
 */
export type ReceiptStatus = 'pending' | 'success' | 'failed' | 'canceled';

/** A payment in the rail's books, and what has yet to be reported to the gateway. */
export type Receipt = {
  rail: MoneyInRail;
  /** The rail's reference, unique on the rail: the payment's own, or that of the code or checkout, which is paid once. */
  railReference: string;
  /** The partner's reference of what was paid; empty where the rail does not hold it. */
  requestReference: string;
  /** Of virtual accounts and retail codes. */
  number: string;
  /** All of it, tip included. */
  amountSen: bigint;
  tipSen: bigint;
  refundedSen: bigint;
  /** Business time, Unix milliseconds. */
  paidAtMs: number;
  status: ReceiptStatus;
  /** Why it has failed; may be empty. */
  reason: string;
  /** Of a code that was paid by this partner as its issuer: the reference of that payment. */
  paidBy?: string;
  /** How often the gateway has been told. */
  attempts: number;
};

export type NewReceipt = Omit<Receipt, 'attempts' | 'refundedSen'>;

type ReceiptDocument = {
  _id: string;
  schema: number;
  rail: MoneyInRail;
  rail_reference: string;
  payable_reference: string;
  number: string;
  amount_sen: bigint;
  tip_sen: bigint;
  refunded_sen: bigint;
  paid_at: Date;
  status: ReceiptStatus;
  reason: string;
  paid_by?: string;
  attempts: number;
  /** Real time at which the gateway is told next; absent once there is nothing more to tell. */
  notify_at?: Date;
};

/**
 * The books of the rails that bring money in. One document a payment, durable before it is reported. A document's reference
 * is taken once, so what is paid once can't be paid twice, nor paid and canceled.
 */
export type Receipts = {
  /**
   * Books it; false when its reference is taken. With `notifyAtMs` (real time) the replica that looks from then on tells the
   * gateway, as for the second time: the first is the caller's.
   */
  add(receipt: NewReceipt, notifyAtMs: number | undefined): Promise<boolean>;
  find(rail: MoneyInRail, railReference: string): Promise<Receipt | undefined>;
  /** Payments of one payment request that count as uses of it. */
  countUses(rail: MoneyInRail, requestReference: string): Promise<number>;
  /**
   * Takes one whose time has come, so that no other replica tells the gateway of it before `againAtMs`; undefined when there is
   * none.
   */
  claimDue(nowMs: number, againAtMs: number): Promise<Receipt | undefined>;
  /** Nothing more is to be told. */
  settle(receipt: Receipt, status: ReceiptStatus, reason: string): Promise<void>;
  postpone(receipt: Receipt, notifyAtMs: number): Promise<void>;
  /** There is something to tell anew. With `notifyAtMs` as of `add`. */
  notify(receipt: Receipt, notifyAtMs: number): Promise<void>;
  /** Gives back a part; false when less than that is left. */
  refund(rail: MoneyInRail, railReference: string, amountSen: bigint): Promise<boolean>;
  /** Every payment of a rail, by its reference. */
  all(rail: MoneyInRail): AsyncIterable<Receipt>;
  /** Those from one moment to another, the second one not included. */
  paidBetween(rail: MoneyInRail, fromMs: number, toMs: number): Promise<Receipt[]>;
};

const COLLECTION = 'money_in_receipts';
const SCHEMA = 1;
const BATCH = 1_000;

export async function openReceipts(store: Store): Promise<Receipts> {
  const receipts = store.collection<ReceiptDocument>(COLLECTION);
  await receipts.createIndex({ notify_at: 1 }, { name: 'notify_at', sparse: true });
  await receipts.createIndex({ payable_reference: 1 }, { name: 'payable_reference' });
  await receipts.createIndex({ paid_at: 1 }, { name: 'paid_at' });
  const readById = shareReads((ids) => traced('find', COLLECTION, () => receipts.find({ _id: { $in: ids } }).toArray()));
  const keyOf = (rail: MoneyInRail, railReference: string) => `${rail}:${railReference}`;
  return {
    async add(receipt, notifyAtMs) {
      const document = toDocument(keyOf(receipt.rail, receipt.railReference), receipt, notifyAtMs);
      try {
        await traced('insertOne', COLLECTION, () => receipts.insertOne(document));
        return true;
      } catch (error) {
        if (isDuplicateKey(error)) return false;
        throw error;
      }
    },
    async find(rail, railReference) {
      const document = await readById(keyOf(rail, railReference));
      return document && toReceipt(document);
    },
    countUses: (rail, requestReference) =>
      receipts.countDocuments({ payable_reference: requestReference, rail, status: { $in: ['pending', 'success'] } }),
    async claimDue(nowMs, againAtMs) {
      const document = await receipts.findOneAndUpdate(
        { notify_at: { $lte: new Date(nowMs) } },
        { $set: { notify_at: new Date(againAtMs) }, $inc: { attempts: 1 } },
        { sort: { notify_at: 1 }, returnDocument: 'after' },
      );
      return document === null ? undefined : toReceipt(document);
    },
    async settle({ rail, railReference }, status, reason) {
      await receipts.updateOne({ _id: keyOf(rail, railReference) }, { $set: { status, reason }, $unset: { notify_at: '' } });
    },
    async postpone({ rail, railReference }, notifyAtMs) {
      // Not where it has been settled meanwhile.
      const filter = { _id: keyOf(rail, railReference), notify_at: { $exists: true } };
      await receipts.updateOne(filter, { $set: { notify_at: new Date(notifyAtMs) } });
    },
    async notify({ rail, railReference }, notifyAtMs) {
      await receipts.updateOne({ _id: keyOf(rail, railReference) }, { $set: { notify_at: new Date(notifyAtMs), attempts: 1 } });
    },
    async refund(rail, railReference, amountSen) {
      const receipt = await receipts.findOne({ _id: keyOf(rail, railReference) }, { readConcern: 'linearizable' });
      if (receipt === null || receipt.status !== 'success' || receipt.refunded_sen + amountSen > receipt.amount_sen) return false;
      const { matchedCount } = await receipts.updateOne(
        { _id: receipt._id, refunded_sen: receipt.refunded_sen },
        { $set: { refunded_sen: receipt.refunded_sen + amountSen } },
      );
      return matchedCount === 1;
    },
    async paidBetween(rail, fromMs, toMs) {
      const found = await receipts.find({ paid_at: { $gte: new Date(fromMs), $lt: new Date(toMs) }, rail }).toArray();
      return found.map(toReceipt);
    },
    async *all(rail) {
      const found = receipts.find({ rail, status: { $ne: 'canceled' } }, { sort: { _id: 1 }, batchSize: BATCH });
      for await (const document of found) yield toReceipt(document);
    },
  };
}

function toDocument(_id: string, receipt: NewReceipt, notifyAtMs: number | undefined): ReceiptDocument {
  return {
    _id,
    schema: SCHEMA,
    rail: receipt.rail,
    rail_reference: receipt.railReference,
    payable_reference: receipt.requestReference,
    number: receipt.number,
    amount_sen: receipt.amountSen,
    tip_sen: receipt.tipSen,
    refunded_sen: 0n,
    paid_at: new Date(receipt.paidAtMs),
    status: receipt.status,
    reason: receipt.reason,
    ...(receipt.paidBy !== undefined && { paid_by: receipt.paidBy }),
    attempts: notifyAtMs === undefined ? 0 : 1,
    ...(notifyAtMs !== undefined && { notify_at: new Date(notifyAtMs) }),
  };
}

function toReceipt(document: ReceiptDocument): Receipt {
  return {
    rail: document.rail,
    railReference: document.rail_reference,
    requestReference: document.payable_reference,
    number: document.number,
    amountSen: document.amount_sen,
    tipSen: document.tip_sen,
    refundedSen: document.refunded_sen,
    paidAtMs: document.paid_at.getTime(),
    status: document.status,
    reason: document.reason,
    ...(document.paid_by !== undefined && { paidBy: document.paid_by }),
    attempts: document.attempts,
  };
}
