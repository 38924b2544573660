import { type Store, traced } from '@gerbang/store';
import type { Batch } from '../posting/posting.ts';
import { fromJournalDocument, type JournalDocument, journalId, toJournalDocument } from './document.ts';

const JOURNAL = 'journal';
const SEQ_MAX = 10n ** 16n - 1n;

type Linked = Pick<JournalDocument, 'seq' | 'chain'>;

/** The append-only journal of all partitions: the only truth about money. */
export type Journal = {
  /** Throws when the batch's place is taken (isDuplicateKey); any other error leaves open whether it was written. */
  append(batch: Batch): Promise<void>;
  /** What is there now, not what a majority had a moment ago. */
  readNow(partition: string, seq: bigint): Promise<Batch | undefined>;
  /** All batches after `seq`, in order. */
  after(partition: string, seq: bigint): AsyncIterable<Batch>;
  /** The newest batch with a link that is not after `seq`; undefined when there is none. */
  lastLinked(partition: string, seq: bigint): Promise<{ seq: bigint; mac: string } | undefined>;
};

export function openJournal(store: Store): Journal {
  const journal = store.collection<JournalDocument>(JOURNAL);
  return {
    async append(batch) {
      await traced('insertOne', JOURNAL, () => journal.insertOne(toJournalDocument(batch)));
    },
    async readNow(partition, seq) {
      const found = await traced('findOne', JOURNAL, () =>
        journal.findOne({ _id: journalId(partition, seq) }, { readConcern: 'linearizable' }),
      );
      return found === null ? undefined : fromJournalDocument(found);
    },
    async *after(partition, seq) {
      const range = { $gt: journalId(partition, seq), $lte: journalId(partition, SEQ_MAX) };
      for await (const document of journal.find({ _id: range }).sort({ _id: 1 })) yield fromJournalDocument(document);
    },
    async lastLinked(partition, seq) {
      const range = { $gt: journalId(partition, 0n), $lte: journalId(partition, seq) };
      const newestFirst = journal.find({ _id: range }).sort({ _id: -1 }).project<Linked>({ _id: 0, seq: 1, chain: 1 });
      for await (const { seq: at, chain } of newestFirst) if (chain !== undefined) return { seq: at, mac: chain.mac };
      return undefined;
    },
  };
}
