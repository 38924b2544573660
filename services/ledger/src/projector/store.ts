import { insertMissing, isDuplicateKeysOnly, type Store, traced } from '@gerbang/store';
import { type EntryDocument, fromResultDocument, toEntryDocument } from '../journal/document.ts';
import type { Batch, KnownKey } from '../posting/posting.ts';

const BALANCES = 'balances';
const POSTINGS = 'postings';
const CHECKPOINTS = 'checkpoints';
const SCHEMA = 1;

/** The absolute balance of one ledger account as of `seq`; `_id` = "<partition>/<account>". */
export type BalanceDocument = { _id: string; schema: number; partition: string; account: string; sen: bigint; seq: bigint };

/** One posting key; `_id` = "<partition>/<key>", `index` its place within the batch. */
export type PostingDocument = EntryDocument & {
  _id: string;
  schema: number;
  partition: string;
  seq: bigint;
  index: number;
  at: Date;
};

/** How far the projections of a partition go; `_id` = the partition. */
type CheckpointDocument = { _id: string; schema: number; seq: bigint; at: Date };

/** A batch with the balances after it of the accounts it touched. */
export type Projection = { batch: Batch; after: ReadonlyMap<string, bigint> };

/** The projections: what can be rebuilt from the journal at any time. Writes are idempotent and may repeat or overlap those of another process. */
export type ProjectionStore = {
  /** Batches of one partition, in order and without a gap. */
  write(projections: readonly Projection[]): Promise<void>;
  checkpoint(partition: string): Promise<{ seq: bigint; atMs: number }>;
  balances(partition: string): AsyncIterable<BalanceDocument>;
  /** Those of the keys that have been projected. */
  keys(partition: string, keys: readonly string[]): Promise<Map<string, KnownKey>>;
  /** Projected postings of these keys. */
  postings(partition: string, keys: readonly string[]): Promise<PostingDocument[]>;
  countPostings(partition: string, upToSeq: bigint): Promise<number>;
};

export async function openProjectionStore(store: Store): Promise<ProjectionStore> {
  const balances = store.collection<BalanceDocument>(BALANCES);
  const postings = store.collection<PostingDocument>(POSTINGS);
  const checkpoints = store.collection<CheckpointDocument>(CHECKPOINTS);
  await postings.createIndex({ partition: 1, 'legs.account': 1, seq: 1, index: 1 }, { name: 'statement' });
  await balances.createIndex({ partition: 1 }, { name: 'partition' });

  const writePostings = async (projections: readonly Projection[]) => {
    await insertMissing(
      postings,
      projections.flatMap(({ batch }) => toPostingDocuments(batch)),
    );
  };
  const writeBalances = async (projections: readonly Projection[]) => {
    const newest = new Map<string, BalanceDocument>();
    for (const { batch, after } of projections) {
      const { partition, seq } = batch;
      for (const [account, sen] of after) {
        newest.set(account, { _id: `${partition}/${account}`, schema: SCHEMA, partition, account, sen, seq });
      }
    }
    if (newest.size === 0) return;
    const updates = [...newest.values()].map(({ _id, ...rest }) => ({
      updateOne: { filter: { _id, seq: { $lt: rest.seq } }, update: { $set: rest }, upsert: true },
    }));
    await ignoringDuplicates(() => traced('bulkWrite', BALANCES, () => balances.bulkWrite(updates, { ordered: false })));
  };
  const writeCheckpoint = async ({ partition, seq, atMs }: Batch) => {
    const update = { $set: { schema: SCHEMA, seq, at: new Date(atMs) } };
    await ignoringDuplicates(() =>
      traced('updateOne', CHECKPOINTS, () =>
        checkpoints.updateOne({ _id: partition, seq: { $lt: seq } }, update, { upsert: true }),
      ),
    );
  };
  const findPostings = (partition: string, keys: readonly string[]) =>
    traced('find', POSTINGS, () => postings.find({ _id: { $in: keys.map((key) => `${partition}/${key}`) } }).toArray());
  return {
    async write(projections) {
      const last = projections.at(-1);
      if (last === undefined) return;
      await Promise.all([writePostings(projections), writeBalances(projections)]);
      await writeCheckpoint(last.batch);
    },
    async checkpoint(partition) {
      const found = await traced('findOne', CHECKPOINTS, () => checkpoints.findOne({ _id: partition }));
      return found === null ? { seq: 0n, atMs: 0 } : { seq: found.seq, atMs: found.at.getTime() };
    },
    balances: (partition) => balances.find({ partition }),
    async keys(partition, keys) {
      const found = await findPostings(partition, keys);
      return new Map(found.map((document) => [document.key, toKnownKey(document)]));
    },
    postings: findPostings,
    countPostings: (partition, upToSeq) => postings.countDocuments({ partition, seq: { $lte: upToSeq } }),
  };
}

/** A duplicate key means here that this, or something newer, is stored already. */
async function ignoringDuplicates(write: () => Promise<unknown>): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (!isDuplicateKeysOnly(error)) throw error;
  }
}

function toPostingDocuments({ partition, seq, atMs, entries }: Batch): PostingDocument[] {
  return entries.map((entry, index) => ({
    _id: `${partition}/${entry.posting.key}`,
    schema: SCHEMA,
    partition,
    seq,
    index,
    at: new Date(atMs),
    ...toEntryDocument(entry),
  }));
}

function toKnownKey({ content_hash, result, seq, at }: PostingDocument): KnownKey {
  return { contentHash: content_hash, result: fromResultDocument(result), seq, atMs: at.getTime() };
}
