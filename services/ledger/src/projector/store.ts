import { setImmediate as turn } from 'node:timers/promises';
import { insertMissing, isDuplicateKeysOnly, type Store, traced } from '@gerbang/store';
import { fromResultDocument } from '../journal/document.ts';
import type { Batch, KnownKey } from '../posting/posting.ts';
import { POSTINGS, type PostingDocument, toPostingDocuments } from './posting-document.ts';
import type { Projection } from './projection.ts';

const BALANCES = 'balances';
const CHECKPOINTS = 'checkpoints';
const BALANCE_SCHEMA = 1;
const PART_MAX = 500;
const PARTS_AT_ONCE = 2;
/** Says of which schema all postings up to the checkpoint are, too. */
const CHECKPOINT_SCHEMA = 3;

/** The absolute balance of one ledger account as of `seq`; `_id` = "<partition>/<account>". */
export type BalanceDocument = { _id: string; schema: number; partition: string; account: string; sen: bigint; seq: bigint };

/** How far the projections of a partition go, postings as well as balances; `_id` = the partition. */
type CheckpointDocument = { _id: string; schema: number; seq: bigint; at: Date };

/** Absolute balances, sen, by ledger account, each with the batch that it is of. */
export type Balances = Map<string, { sen: bigint; seq: bigint }>;

/** Where the journal has a stored posting. */
export type PostingPlace = Pick<PostingDocument, 'key' | 'seq' | 'index'>;

/**
 * The projections: what can be rebuilt from the journal at any time. Writes are idempotent and may repeat or overlap those of
 * another process.
 */
export type ProjectionStore = {
  writePostings(projections: readonly Projection[]): Promise<void>;
  /** Writes what changed up to the batch `last`, whose postings are stored, and then that the projections go so far. */
  writeBalances(balances: Balances, last: Batch): Promise<void>;
  checkpoint(partition: string): Promise<{ seq: bigint; atMs: number }>;
  /** Whether the projections may be of an earlier version: nothing of this one vouches for them. */
  isOutdated(partition: string): Promise<boolean>;
  /** Writes postings again, over what is stored. */
  rewritePostings(projections: readonly Projection[]): Promise<void>;
  /** Vouches for the postings up to the checkpoint. */
  markCurrent(partition: string): Promise<void>;
  balances(partition: string): AsyncIterable<BalanceDocument>;
  /** Those of the keys that have been projected. */
  keys(partition: string, keys: readonly string[]): Promise<Map<string, KnownKey>>;
  /** Projected postings of these keys. */
  postings(partition: string, keys: readonly string[]): Promise<PostingDocument[]>;
  /** Of all that are stored, in no order. */
  placesOfPostings(partition: string): AsyncIterable<PostingPlace>;
};

const PLACE = { _id: 0, key: 1, seq: 1, index: 1 } as const;

export async function openProjectionStore(store: Store): Promise<ProjectionStore> {
  const balances = store.collection<BalanceDocument>(BALANCES);
  const postings = store.collection<PostingDocument>(POSTINGS);
  const checkpoints = store.collection<CheckpointDocument>(CHECKPOINTS);
  await balances.createIndex({ partition: 1 }, { name: 'partition' });

  const updateBalances = async (updates: readonly BalanceDocument[]) => {
    const operations = updates.map(({ _id, ...rest }) => ({
      updateOne: { filter: { _id, seq: { $lt: rest.seq } }, update: { $set: rest }, upsert: true },
    }));
    await ignoringDuplicates(() => traced('bulkWrite', BALANCES, () => balances.bulkWrite(operations, { ordered: false })));
  };
  const writeCheckpoint = async ({ partition, seq, atMs }: Batch) => {
    const update = { $set: { schema: CHECKPOINT_SCHEMA, seq, at: new Date(atMs) } };
    await ignoringDuplicates(() =>
      traced('updateOne', CHECKPOINTS, () =>
        checkpoints.updateOne({ _id: partition, seq: { $lt: seq } }, update, { upsert: true }),
      ),
    );
  };
  const findPostings = async (partition: string, keys: readonly string[]): Promise<PostingDocument[]> => {
    const ids = keys.map((key) => `${partition}/${key}`);
    const [only] = ids;
    // A lone posting is looked up by the shortest way that a server has.
    if (only !== undefined && ids.length === 1) {
      const found = await traced('findOne', POSTINGS, () => postings.findOne({ _id: only }));
      return found === null ? [] : [found];
    }
    return traced('find', POSTINGS, () => postings.find({ _id: { $in: ids } }).toArray());
  };
  return {
    async writePostings(projections) {
      const documents: PostingDocument[] = [];
      for (const projection of projections) {
        documents.push(...toPostingDocuments(projection));
        // The journal has its turn in between: a long round would keep it waiting.
        await turn();
      }
      await inParts(documents.sort(byStatement), (part) => insertMissing(postings, part));
    },
    async writeBalances(changed, last) {
      const { partition } = last;
      const documents = [...changed].map(([account, { sen, seq }]) => {
        return { _id: `${partition}/${account}`, schema: BALANCE_SCHEMA, partition, account, sen, seq };
      });
      await inParts(documents, updateBalances);
      await writeCheckpoint(last);
    },
    async checkpoint(partition) {
      const found = await traced('findOne', CHECKPOINTS, () => checkpoints.findOne({ _id: partition }));
      return found === null ? { seq: 0n, atMs: 0 } : { seq: found.seq, atMs: found.at.getTime() };
    },
    async isOutdated(partition) {
      const found = await traced('findOne', CHECKPOINTS, () => checkpoints.findOne({ _id: partition }));
      return found === null || found.schema < CHECKPOINT_SCHEMA;
    },
    async rewritePostings(projections) {
      const replacements = projections.flatMap(toPostingDocuments).map(({ _id, ...replacement }) => ({
        replaceOne: { filter: { _id }, replacement, upsert: true },
      }));
      if (replacements.length === 0) return;
      await traced('bulkWrite', POSTINGS, () => postings.bulkWrite(replacements, { ordered: false }));
    },
    async markCurrent(partition) {
      await traced('updateOne', CHECKPOINTS, () =>
        checkpoints.updateOne({ _id: partition }, { $set: { schema: CHECKPOINT_SCHEMA } }),
      );
    },
    balances: (partition) => balances.find({ partition }),
    async keys(partition, keys) {
      const found = await findPostings(partition, keys);
      return new Map(found.map((document) => [document.key, toKnownKey(document)]));
    },
    postings: findPostings,
    // In small batches: an embedded server serves no other client while it reads one.
    placesOfPostings: (partition) =>
      postings
        .find({ _id: { $gte: `${partition}/`, $lt: `${partition}0` } })
        .project<PostingPlace>(PLACE)
        .batchSize(2_000),
  };
}

/** The order of the statements' index, as far as it matters: what is written together then falls into few of its pages. */
function byStatement({ statement: [a = ''] }: PostingDocument, { statement: [b = ''] }: PostingDocument): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Writes documents in parts so small that the journal's next batch does not wait long behind one of them. */
async function inParts<T>(documents: readonly T[], write: (part: T[]) => Promise<unknown>): Promise<void> {
  let next = 0;
  const writeOn = async () => {
    while (next < documents.length) {
      const from = next;
      next += PART_MAX;
      await write(documents.slice(from, next));
    }
  };
  await Promise.all(Array.from({ length: PARTS_AT_ONCE }, writeOn));
}

/** A duplicate key means here that this, or something newer, is stored already. */
async function ignoringDuplicates(write: () => Promise<unknown>): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (!isDuplicateKeysOnly(error)) throw error;
  }
}

function toKnownKey({ content_hash, result, seq, at }: PostingDocument): KnownKey {
  return { contentHash: content_hash, result: fromResultDocument(result), seq, atMs: at.getTime() };
}
