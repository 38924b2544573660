import type { Journal } from '../journal/journal.ts';
import { Book } from '../posting/book.ts';
import type { Projection, ProjectionStore } from '../projector/store.ts';

/** A partition as its projections and the journal after them have it. */
export type Loaded = {
  book: Book;
  lastSeq: bigint;
  lastAtMs: number;
  /** How far the projections went, and what they do not have yet. */
  projectedSeq: bigint;
  unprojected: Projection[];
};

/**
 * Loads a partition: the projected balances, then the journal after the checkpoint. A balance may have been projected further than the checkpoint says
 * (the checkpoint is written last), so each is brought forward from its own sequence number.
 */
export async function loadPartition(journal: Journal, projections: ProjectionStore, partition: string): Promise<Loaded> {
  const checkpoint = await projections.checkpoint(partition);
  const book = new Book();
  const seqOf = new Map<string, bigint>();
  for await (const { account, sen, seq } of projections.balances(partition)) {
    book.restore(account, sen);
    if (seq > checkpoint.seq) seqOf.set(account, seq);
  }
  let lastSeq = checkpoint.seq;
  let lastAtMs = checkpoint.atMs;
  const unprojected: Projection[] = [];
  for await (const batch of journal.after(partition, checkpoint.seq)) {
    if (batch.seq !== lastSeq + 1n) throw new Error(`the journal of ${partition} has a gap after ${lastSeq}`);
    const after = book.apply(batch, ({ account }) => (seqOf.get(account) ?? 0n) < batch.seq);
    unprojected.push({ batch, after });
    lastSeq = batch.seq;
    lastAtMs = Math.max(lastAtMs, batch.atMs);
  }
  return { book, lastSeq, lastAtMs, projectedSeq: checkpoint.seq, unprojected };
}
