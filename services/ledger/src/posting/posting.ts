import { hash } from 'node:crypto';
import type { Link, RefusalCode } from '@gerbang/core';

export const INTENTS = [
  'hold',
  'capture',
  'release',
  'credit',
  'transfer',
  'settle',
  'refund',
  'compensate',
  'reserve',
  'restore',
  'forfeit',
] as const;
export type Intent = (typeof INTENTS)[number];

/** Where the money of a credit, refund or compensation is: in a compartment of the account, or in suspense:<rail>. */
export const SIDES = ['available', 'pending', 'suspense'] as const;
export type Side = (typeof SIDES)[number];

/** What a compensation answers; empty for every other intent. */
export const COMPENSATIONS = ['', 'payout-returned', 'payout-made', 'payment-withdrawn'] as const;
export type Compensation = (typeof COMPENSATIONS)[number];

/**
 * What a service asks for, once per key for ever. Amounts in sen; `amountSen` is net of `feeSen`. Merchant and account may be
 * empty in suspense.
 */
export type Posting = {
  key: string;
  intent: Intent;
  merchantId: string;
  accountId: string;
  amountSen: bigint;
  feeSen: bigint;
  /** What of the fee is the vendor's; may be more than it. */
  vendorFeeSen: bigint;
  rail: string;
  product: string;
  transactionId: string;
  referenceNumber: string;
  description: string;
  /** Only of a transfer; empty otherwise. */
  destinationAccountId: string;
  /** Of a credit, refund or compensation; 'available' otherwise. */
  side: Side;
  /** Only of a credit: the money comes from suspense:<rail>. */
  fromSuspense: boolean;
  compensation: Compensation;
};

/** One side of an entry: what is added to the account, sen. */
export type Leg = { account: string; sen: bigint };

/** What became of a posting; it is journalled and stays its key's answer for ever. */
export type Result = { refused: RefusalCode; message: string } | { availableAfterSen: bigint };

/** A posting with what it did, as the journal has it. The legs of a refused one are empty. */
export type Entry = { posting: Posting; contentHash: string; legs: readonly Leg[]; result: Result };

/** What one journal document says. `seq` counts from 1 without a gap; `epoch` is its writer's. */
export type Batch = {
  partition: string;
  seq: bigint;
  epoch: bigint;
  batchId: string;
  /** Business time. */
  atMs: number;
  entries: readonly Entry[];
  /** Ties it to all batches before it. Versions before the chain write none. */
  link?: Link;
};

/** What is kept of a posting key: enough to answer it again, and to notice other content. */
export type KnownKey = { contentHash: string; result: Result; seq: bigint; atMs: number };

/**
 * SHA-256 over everything that was asked for, base64. Two postings with one key must have the same. What came later counts where
 * it is used alone, so that keys journalled before keep their hash.
 */
export function contentHash(posting: Posting): string {
  return hash(
    'sha256',
    JSON.stringify([
      posting.intent,
      posting.merchantId,
      posting.accountId,
      String(posting.amountSen),
      String(posting.feeSen),
      posting.rail,
      posting.product,
      posting.transactionId,
      posting.referenceNumber,
      posting.description,
      ...(posting.intent === 'transfer' ? [posting.destinationAccountId] : []),
      ...(hasVariant(posting) ? [posting.side, posting.fromSuspense, posting.compensation] : []),
      ...(posting.vendorFeeSen > 0n ? [{ vendorFeeSen: String(posting.vendorFeeSen) }] : []),
    ]),
    'base64',
  );
}

/** Whether the posting is not just what its intent was in the journal's second schema. */
export function hasVariant({ side, fromSuspense, compensation }: Posting): boolean {
  return side !== 'available' || fromSuspense || compensation !== '';
}
