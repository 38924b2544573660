import { isRefusalCode, type Link } from '@gerbang/core';
import {
  type Batch,
  COMPENSATIONS,
  type Entry,
  hasVariant,
  INTENTS,
  type Intent,
  type Leg,
  type Result,
  SIDES,
} from '../posting/posting.ts';

/**
 * 1: no posting had a destination; 2: none had a side; 3: none had a vendor's fee; 4: nobody owed anything. What could be of an
 * earlier one still is, so that the version before this reads it.
 */
const SCHEMA = 5;
const SCHEMA_WITHOUT_CHARGEBACKS = 4;
const SCHEMA_WITHOUT_VENDOR_FEES = 3;
const SCHEMA_WITHOUT_SIDES = 2;
const CHARGEBACKS: ReadonlySet<Intent> = new Set(['reserve', 'restore', 'forfeit'] as const);

/** One entry as the journal and the projection of postings store it. */
export type EntryDocument = {
  key: string;
  content_hash: string;
  intent: string;
  merchant_id: string;
  account_id: string;
  amount_sen: bigint;
  fee_sen: bigint;
  /** Absent where there is none. */
  vendor_fee_sen?: bigint;
  rail: string;
  product: string;
  transaction_id: string;
  reference_number: string;
  description: string;
  destination_account_id: string;
  /** Absent where nothing but the usual is meant. */
  side?: string;
  from_suspense?: boolean;
  compensation?: string;
  legs: readonly Leg[];
  result: ResultDocument;
};

export type ResultDocument = { refused?: string; message?: string; available_after_sen?: bigint };

/**
 * One batch; `_id` = "<partition>:<seq, 16 digits>" is the fence between writers. An empty one is the barrier of a new writer.
 */
export type JournalDocument = {
  _id: string;
  schema: number;
  partition: string;
  seq: bigint;
  epoch: bigint;
  batch_id: string;
  at: Date;
  postings: EntryDocument[];
  /** Absent in what a version before the chain has written; such a version does not read it. */
  chain?: Link;
};

/** Ids in the order of the sequence numbers. */
export function journalId(partition: string, seq: bigint): string {
  return `${partition}:${String(seq).padStart(16, '0')}`;
}

export function toJournalDocument(batch: Batch): JournalDocument {
  return {
    _id: journalId(batch.partition, batch.seq),
    schema: schemaOf(batch),
    partition: batch.partition,
    seq: batch.seq,
    epoch: batch.epoch,
    batch_id: batch.batchId,
    at: new Date(batch.atMs),
    postings: batch.entries.map(toEntryDocument),
    ...(batch.link !== undefined && { chain: batch.link }),
  };
}

function schemaOf({ entries }: Batch): number {
  if (entries.some(({ posting }) => CHARGEBACKS.has(posting.intent))) return SCHEMA;
  if (entries.some(({ posting }) => posting.vendorFeeSen > 0n)) return SCHEMA_WITHOUT_CHARGEBACKS;
  return entries.some(({ posting }) => hasVariant(posting)) ? SCHEMA_WITHOUT_VENDOR_FEES : SCHEMA_WITHOUT_SIDES;
}

/** Throws on a later schema than this version knows: money is not guessed at. */
export function fromJournalDocument(stored: JournalDocument): Batch {
  const document = upcast(stored);
  return {
    partition: document.partition,
    seq: document.seq,
    epoch: document.epoch,
    batchId: document.batch_id,
    atMs: document.at.getTime(),
    entries: document.postings.map(fromEntryDocument),
    ...(document.chain !== undefined && { link: document.chain }),
  };
}

/** Pure; from the schema that is stored to this one. */
function upcast(document: JournalDocument): JournalDocument {
  switch (document.schema) {
    case 1:
      return { ...document, postings: document.postings.map((posting) => ({ ...posting, destination_account_id: '' })) };
    case SCHEMA_WITHOUT_SIDES:
    case SCHEMA_WITHOUT_VENDOR_FEES:
    case SCHEMA_WITHOUT_CHARGEBACKS:
    case SCHEMA:
      return document;
    default:
      throw new Error(`journal document ${document._id} has the unknown schema ${document.schema}`);
  }
}

export function toEntryDocument({ posting, contentHash, legs, result }: Entry): EntryDocument {
  const document: EntryDocument = {
    key: posting.key,
    content_hash: contentHash,
    intent: posting.intent,
    merchant_id: posting.merchantId,
    account_id: posting.accountId,
    amount_sen: posting.amountSen,
    fee_sen: posting.feeSen,
    ...(posting.vendorFeeSen > 0n && { vendor_fee_sen: posting.vendorFeeSen }),
    rail: posting.rail,
    product: posting.product,
    transaction_id: posting.transactionId,
    reference_number: posting.referenceNumber,
    description: posting.description,
    destination_account_id: posting.destinationAccountId,
    legs,
    result:
      'refused' in result
        ? { refused: result.refused, message: result.message }
        : { available_after_sen: result.availableAfterSen },
  };
  if (!hasVariant(posting)) return document;
  const { side, fromSuspense, compensation } = posting;
  return { ...document, side, from_suspense: fromSuspense, compensation };
}

function fromEntryDocument(document: EntryDocument): Entry {
  return {
    posting: {
      key: document.key,
      intent: intentOf(document.intent),
      merchantId: document.merchant_id,
      accountId: document.account_id,
      amountSen: document.amount_sen,
      feeSen: document.fee_sen,
      vendorFeeSen: document.vendor_fee_sen ?? 0n,
      rail: document.rail,
      product: document.product,
      transactionId: document.transaction_id,
      referenceNumber: document.reference_number,
      description: document.description,
      destinationAccountId: document.destination_account_id,
      side: oneOf(SIDES, document.side ?? 'available'),
      fromSuspense: document.from_suspense ?? false,
      compensation: oneOf(COMPENSATIONS, document.compensation ?? ''),
    },
    contentHash: document.content_hash,
    legs: document.legs,
    result: fromResultDocument(document.result),
  };
}

export function fromResultDocument({ refused, message, available_after_sen }: ResultDocument): Result {
  if (available_after_sen !== undefined) return { availableAfterSen: available_after_sen };
  if (refused === undefined || message === undefined || !isRefusalCode(refused))
    throw new Error('a stored posting has no result');
  return { refused, message };
}

/** Throws for an intent that this version does not know. */
export function intentOf(text: string): Intent {
  return oneOf(INTENTS, text);
}

function oneOf<T extends string>(known: readonly T[], text: string): T {
  const found = known.find((one) => one === text);
  if (found === undefined) throw new Error(`a stored posting says ${text}, which this version does not know`);
  return found;
}
