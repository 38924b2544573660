import type { Clock } from '@gerbang/core';
import type { Logger } from '@gerbang/runtime';
import { type Due, isDuplicateKey, type Store, startDueTimer } from '@gerbang/store';

/** What the bank believes of a transfer. */
export type BookEntry = {
  partnerReference: string;
  merchantReference: string;
  amountSen: bigint;
  status: 'pending' | 'success' | 'failed';
  /** SNAP responseCode of the failure. */
  failureCode: string;
  referenceNo: string;
};

/** A transfer to be booked: settled at once, or pending until a delay has passed in business time. */
export type Booking = Omit<BookEntry, 'status'> & { externalId: string; outcome: 'success' | 'failed'; delayMs: number };

type EntryDocument = Due & {
  _id: string;
  external_id: string;
  merchant_reference: string;
  amount_sen: bigint;
  status: BookEntry['status'];
  outcome: 'success' | 'failed';
  failure_code: string;
  reference_no: string;
  booked_at: Date;
};

/** The bank's books: durable before anything is answered, each partner reference and each external id once. */
export type BankBooks = {
  /** Books a transfer; says which of the two was there before. */
  book(booking: Booking): Promise<'booked' | 'reference-taken' | 'external-id-taken'>;
  find(partnerReference: string): Promise<BookEntry | undefined>;
  all(): AsyncIterable<BookEntry>;
  close(): Promise<void>;
};

const LEASE_MS = 5_000;

export async function openBankBooks(store: Store, clock: Clock, log: Logger): Promise<BankBooks> {
  const entries = store.collection<EntryDocument>('bank_transfers');
  await entries.createIndex({ external_id: 1 }, { name: 'external_id', unique: true });
  const timer = await startDueTimer<EntryDocument>({
    collection: entries,
    clock,
    log,
    leaseMs: LEASE_MS,
    handle: async ({ _id, outcome }) => {
      await entries.updateOne({ _id, status: 'pending' }, { $set: { status: outcome }, $unset: { due_at: '', lease_until: '' } });
    },
  });
  return {
    async book(booking) {
      const document: EntryDocument = {
        _id: booking.partnerReference,
        external_id: booking.externalId,
        merchant_reference: booking.merchantReference,
        amount_sen: booking.amountSen,
        status: booking.delayMs > 0 ? 'pending' : booking.outcome,
        outcome: booking.outcome,
        failure_code: booking.failureCode,
        reference_no: booking.referenceNo,
        booked_at: new Date(clock.now()),
        ...(booking.delayMs > 0 && { due_at: new Date(clock.now() + booking.delayMs) }),
      };
      try {
        await entries.insertOne(document);
        return 'booked';
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
        return (await entries.findOne({ _id: booking.partnerReference })) === null ? 'external-id-taken' : 'reference-taken';
      }
    },
    async find(partnerReference) {
      const document = await entries.findOne({ _id: partnerReference });
      return document === null ? undefined : toEntry(document);
    },
    async *all() {
      for await (const document of entries.find({}, { sort: { _id: 1 } })) yield toEntry(document);
    },
    close: () => timer.close(),
  };
}

function toEntry(document: EntryDocument): BookEntry {
  return {
    partnerReference: document._id,
    merchantReference: document.merchant_reference,
    amountSen: document.amount_sen,
    status: document.status,
    failureCode: document.failure_code,
    referenceNo: document.reference_no,
  };
}
