import { dateRange, type Store, traced } from '@gerbang/store';
import { POSTINGS, type PostingDocument } from '../projector/posting-document.ts';
import type { Position } from './position.ts';

/**
 * What both listings have in common. `upToSeq` is a batch that the projections are complete up to: beyond it there may be holes.
 */
type Window = {
  partition: string;
  upToSeq: bigint;
  limit: number;
  /** Where the page before ended; the postings before it come, newest first. */
  before: Position | undefined;
  fromMs: number | undefined;
  toMs: number | undefined;
};

/** Reads of the projected postings, newest first. */
export type StatementStore = {
  /** Of all the statements together. */
  entries(query: Window & { statements: readonly string[] }): Promise<PostingDocument[]>;
  settlements(
    query: Window & { merchantId: string; accountId: string | undefined; product: string | undefined },
  ): Promise<PostingDocument[]>;
};

/** Business time never goes back within a partition, so its order is that of the journal, and an index can bound both. */
const NEWEST_FIRST = { at: -1, seq: -1, index: -1 } as const;

export async function openStatementStore(store: Store): Promise<StatementStore> {
  const postings = store.collection<PostingDocument>(POSTINGS);
  await postings.createIndex({ partition: 1, statement: 1, at: 1, seq: 1, index: 1 }, { name: 'entries' });
  await postings.createIndex(
    { partition: 1, merchant_id: 1, at: 1, seq: 1, index: 1, account_id: 1, product: 1 },
    { name: 'settlements', partialFilterExpression: { intent: 'settle' } },
  );
  // Of the first version, which no listing read.
  if (await postings.indexExists('statement')) {
    await postings.dropIndex('statement').catch(async (error: unknown) => {
      if (await postings.indexExists('statement')) throw error;
    });
  }
  const find = (filter: object, { limit }: Window) =>
    traced('find', POSTINGS, () => postings.find(filter).sort(NEWEST_FIRST).limit(limit).toArray());
  return {
    async entries(query) {
      const pages = await Promise.all(query.statements.map((statement) => find({ ...windowFilter(query), statement }, query)));
      return pages.flat().sort(newestFirst).slice(0, query.limit);
    },
    settlements: (query) =>
      find(
        {
          ...windowFilter(query),
          intent: 'settle',
          merchant_id: query.merchantId,
          'result.refused': { $exists: false },
          ...(query.accountId === undefined ? {} : { account_id: query.accountId }),
          ...(query.product === undefined ? {} : { product: query.product }),
        },
        query,
      ),
  };
}

/** Business time does not decide: within a partition it has the order of the journal. */
function newestFirst(a: PostingDocument, b: PostingDocument): number {
  return a.seq === b.seq ? b.index - a.index : a.seq < b.seq ? 1 : -1;
}

function windowFilter({ partition, upToSeq, before, fromMs, toMs }: Window): object {
  const newestMs = Math.min(toMs ?? Number.POSITIVE_INFINITY, before?.atMs ?? Number.POSITIVE_INFINITY);
  const at = dateRange(fromMs, newestMs === Number.POSITIVE_INFINITY ? undefined : newestMs);
  return {
    partition,
    ...(at !== undefined && { at }),
    seq: { $lte: upToSeq },
    ...(before === undefined ? {} : { $or: [{ seq: { $lt: before.seq } }, { seq: before.seq, index: { $lt: before.index } }] }),
  };
}
