import type { Clock } from '@gerbang/core';
import { combineInserts, type Store, traced } from '@gerbang/store';
import type { Rail } from '../control/behaviours.ts';
import type { Verdict } from './beneficiary.ts';

/** A transfer as its rail has accepted it. */
export type Booking = {
  rail: Rail;
  partnerReference: string;
  merchantReference: string;
  /** What the partner calls it, where it has told; else its reference. */
  transactionId: string;
  /** Partner, Jakarta day and external id. */
  externalKey: string;
  amountSen: bigint;
  /** The beneficiary's bank or wallet, and its account or phone number there. */
  bankCode: string;
  accountNumber: string;
  /** What the partner wants to be said to the beneficiary; may be empty. */
  remark: string;
  /** The rail's own reference. */
  referenceNo: string;
  verdict: Verdict;
};

/** A transfer as it stands now in business time. */
export type BookEntry = Omit<Booking, 'verdict'> & {
  status: 'pending' | 'success' | 'failed' | 'reversed';
  /** SNAP case and message of a transfer that has failed. */
  failure: { responseCode: string; message: string } | undefined;
  bookedAtMs: number;
  settlesAtMs: number;
  /** When the money came back; undefined where it stayed. */
  reversedAtMs: number | undefined;
};

type EntryDocument = {
  _id: string;
  schema: number;
  /** Absent: bank-transfer, the only rail of earlier versions. */
  rail?: Exclude<Rail, 'bank-transfer'>;
  external_key: string;
  merchant_reference: string;
  /** Absent in books of before, whose partner's reference it was. */
  transaction_id?: string;
  amount_sen: bigint;
  bank_code: string;
  account_number: string;
  /** Absent in books of before. */
  remark?: string;
  reference_no: string;
  outcome: 'success' | 'failed';
  failure_code: string;
  failure_message: string;
  booked_at: Date;
  settles_at: Date;
  /** When the money came back from the beneficiary's bank; absent where it stayed. */
  reversed_at?: Date;
};

/**
 * The books of the rails that pay out. One document a transfer, its `_id` the partner's reference: accepting it is one insert,
 * durable before the rail answers. What becomes of it is decided then and written with it; until `settles_at` it is pending. So nothing has to
 * happen later, and a restart changes nothing. Only a reversal comes afterwards.
 */
export type BankBooks = {
  /** Books a transfer, or says which of its two numbers has been used before. */
  book(booking: Booking): Promise<'booked' | 'reference-used' | 'external-id-used'>;
  find(rail: Rail, partnerReference: string): Promise<BookEntry | undefined>;
  /** Takes back a transfer that was paid; gives it as it then stands, also where it is no paid one or was reversed before. */
  reverse(rail: Rail, transactionId: string): Promise<BookEntry | undefined>;
  hasExternalKey(externalKey: string): Promise<boolean>;
  /** Every transfer of a rail, by the partner's reference. */
  all(rail: Rail): AsyncIterable<BookEntry>;
  /** Those that settled, or came back, from one moment to another, the second one not included. */
  between(rail: Rail, what: 'settled' | 'reversed', fromMs: number, toMs: number): Promise<BookEntry[]>;
};

const COLLECTION = 'bank_transfers';
const SCHEMA = 1;
const BATCH = 1_000;

export async function openBankBooks(store: Store, clock: Clock): Promise<BankBooks> {
  const entries = store.collection<EntryDocument>(COLLECTION);
  await entries.createIndex({ external_key: 1 }, { name: 'external_key', unique: true });
  await entries.createIndex({ transaction_id: 1 }, { name: 'transaction' });
  await entries.createIndex({ settles_at: 1 }, { name: 'settles_at' });
  await entries.createIndex({ reversed_at: 1 }, { name: 'reversed_at', sparse: true });
  const insert = combineInserts(entries);
  const find = async (rail: Rail, partnerReference: string) => {
    const document = await traced('findOne', COLLECTION, () =>
      entries.findOne({ _id: partnerReference }, { readConcern: 'linearizable' }),
    );
    const entry = document === null ? undefined : toEntry(document, clock.now());
    return entry?.rail === rail ? entry : undefined;
  };
  return {
    async book(booking) {
      if (await insert(toDocument(booking, clock.now()))) return 'booked';
      const there = await entries.findOne({ _id: booking.partnerReference }, { readConcern: 'linearizable' });
      return there === null || there.external_key === booking.externalKey ? 'external-id-used' : 'reference-used';
    },
    find,
    async reverse(rail, transactionId) {
      const now = new Date(clock.now());
      const known = await entries.findOne({ transaction_id: transactionId }, { projection: { _id: 1 } });
      const partnerReference = known?._id ?? transactionId;
      const paid = {
        _id: partnerReference,
        ...ofRail(rail),
        outcome: 'success' as const,
        settles_at: { $lte: now },
        reversed_at: { $exists: false },
      };
      await traced('updateOne', COLLECTION, () => entries.updateOne(paid, { $set: { reversed_at: now } }));
      return find(rail, partnerReference);
    },
    hasExternalKey: async (externalKey) =>
      (await entries.findOne({ external_key: externalKey }, { projection: { _id: 1 } })) !== null,
    async between(rail, what, fromMs, toMs) {
      const range = { $gte: new Date(fromMs), $lt: new Date(toMs) };
      const filter = what === 'settled' ? { settles_at: range } : { reversed_at: range };
      const found = await entries.find({ ...filter, ...ofRail(rail) }).toArray();
      return found.map((document) => toEntry(document, clock.now()));
    },
    async *all(rail) {
      const nowMs = clock.now();
      for await (const document of entries.find(ofRail(rail), { sort: { _id: 1 }, batchSize: BATCH }))
        yield toEntry(document, nowMs);
    },
  };
}

function ofRail(rail: Rail): { rail: { $exists: false } | Exclude<Rail, 'bank-transfer'> } {
  return { rail: rail === 'bank-transfer' ? { $exists: false } : rail };
}

function toDocument({ verdict, ...booking }: Booking, nowMs: number): EntryDocument {
  return {
    _id: booking.partnerReference,
    schema: SCHEMA,
    ...(booking.rail !== 'bank-transfer' && { rail: booking.rail }),
    external_key: booking.externalKey,
    merchant_reference: booking.merchantReference,
    transaction_id: booking.transactionId,
    amount_sen: booking.amountSen,
    bank_code: booking.bankCode,
    account_number: booking.accountNumber,
    remark: booking.remark,
    reference_no: booking.referenceNo,
    outcome: verdict.outcome,
    failure_code: verdict.outcome === 'failed' ? verdict.responseCode : '',
    failure_message: verdict.outcome === 'failed' ? verdict.message : '',
    booked_at: new Date(nowMs),
    settles_at: new Date(nowMs + verdict.afterMs),
  };
}

function toEntry(document: EntryDocument, nowMs: number): BookEntry {
  const status = statusOf(document, nowMs);
  return {
    rail: document.rail ?? 'bank-transfer',
    partnerReference: document._id,
    merchantReference: document.merchant_reference,
    transactionId: document.transaction_id ?? document._id,
    externalKey: document.external_key,
    amountSen: document.amount_sen,
    bankCode: document.bank_code,
    accountNumber: document.account_number,
    remark: document.remark ?? '',
    referenceNo: document.reference_no,
    status,
    failure: status === 'failed' ? { responseCode: document.failure_code, message: document.failure_message } : undefined,
    bookedAtMs: document.booked_at.getTime(),
    settlesAtMs: document.settles_at.getTime(),
    reversedAtMs: document.reversed_at?.getTime(),
  };
}

function statusOf(
  { settles_at: settlesAt, outcome, reversed_at: reversedAt }: EntryDocument,
  nowMs: number,
): BookEntry['status'] {
  if (nowMs < settlesAt.getTime()) return 'pending';
  return reversedAt === undefined ? outcome : 'reversed';
}
