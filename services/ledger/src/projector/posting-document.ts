import { type EntryDocument, toEntryDocument } from '../journal/document.ts';
import { statementKeys } from '../statement/keys.ts';
import type { Projection } from './projection.ts';

export const POSTINGS = 'postings';
/** 1: without `statement` and `after_sen`; 2: `statement` had a key of the whole statement, too. */
const SCHEMA = 3;

/** One posting key; `_id` = "<partition>/<key>", `index` its place within the batch. */
export type PostingDocument = Omit<EntryDocument, 'legs'> & {
  _id: string;
  schema: number;
  partition: string;
  seq: bigint;
  index: number;
  at: Date;
  /** `after_sen`: the account's balance right after this posting. */
  legs: { account: string; sen: bigint; after_sen: bigint }[];
  /** The statements that it is an entry of. */
  statement: string[];
};

/**
 * The postings of a batch as they are stored. The balance after each one is computed backwards from the balances after the batch.
 */
export function toPostingDocuments({ batch, after }: Projection): PostingDocument[] {
  const { partition, seq, atMs, entries } = batch;
  const running = new Map<string, bigint>();
  const documents = entries.map((entry, index): PostingDocument => {
    const legs = entry.legs.map((leg) => ({ ...leg, after_sen: 0n }));
    return {
      ...toEntryDocument(entry),
      _id: `${partition}/${entry.posting.key}`,
      schema: SCHEMA,
      partition,
      seq,
      index,
      at: new Date(atMs),
      legs,
      statement: statementKeys(entry.legs),
    };
  });
  for (const { legs } of documents.toReversed()) {
    for (const leg of legs.toReversed()) {
      const afterSen = running.get(leg.account) ?? after.get(leg.account);
      if (afterSen === undefined) throw new Error(`the balance of ${leg.account} after ${seq} is not known`);
      leg.after_sen = afterSen;
      running.set(leg.account, afterSen - leg.sen);
    }
  }
  return documents;
}
