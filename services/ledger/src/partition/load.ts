import { NO_LINK } from '@gerbang/core';
import { macAfter } from '../journal/chain.ts';
import type { Journal } from '../journal/journal.ts';
import { Book } from '../posting/book.ts';
import type { Batch } from '../posting/posting.ts';
import type { Projection } from '../projector/projection.ts';
import type { ProjectionStore } from '../projector/store.ts';
import { upgradeProjections } from '../projector/upgrade.ts';
import type { Proof, ProvenUpTo } from './proof.ts';

/** A partition as its projections and the journal after them have it. */
export type Loaded = {
  book: Book;
  lastSeq: bigint;
  /** The epoch of the last batch; 0 when there is none. */
  lastEpoch: bigint;
  lastAtMs: number;
  /** Has checked the journal after the checkpoint, and checks what comes. */
  proof: Proof;
  /** How far the projections went, and what they do not have yet. */
  projectedSeq: bigint;
  unprojected: Projection[];
};

/**
 * Loads a partition: the projected balances, then the journal after the checkpoint. A balance may have been projected further
 * than the checkpoint says (the checkpoint is written last); it is taken back to the checkpoint first, so that what each entry
 * left behind is known again.
 *
 * Throws UnprovenError when a batch after the checkpoint is not what a ledger wrote: its balance could be a forged one.
 */
export async function loadPartition(
  journal: Journal,
  projections: ProjectionStore,
  partition: string,
  startProof: (from: ProvenUpTo) => Proof,
): Promise<Loaded> {
  await upgradeProjections(journal, projections, partition);
  const checkpoint = await projections.checkpoint(partition);
  const book = new Book({ fromTheBeginning: checkpoint.seq === 0n });
  const aheadOf = new Map<string, bigint>();
  for await (const { account, sen, seq } of projections.balances(partition)) {
    book.restore(account, sen);
    if (seq > checkpoint.seq) aheadOf.set(account, seq);
  }
  let lastSeq = checkpoint.seq;
  let lastAtMs = checkpoint.atMs;
  // The barrier of a later writer may be projected already.
  const atCheckpoint = checkpoint.seq === 0n ? undefined : await journal.readNow(partition, checkpoint.seq);
  let lastEpoch = atCheckpoint?.epoch ?? 0n;
  const proof = startProof(await provenUpTo(journal, partition, checkpoint.seq, atCheckpoint));
  const batches: Batch[] = [];
  for await (const batch of journal.after(partition, checkpoint.seq)) {
    if (batch.seq !== lastSeq + 1n) throw new Error(`the journal of ${partition} has a gap after ${lastSeq}`);
    for (const { account, sen } of batch.entries.flatMap(({ legs }) => legs)) {
      if ((aheadOf.get(account) ?? 0n) >= batch.seq) book.restore(account, book.balanceOf(account) - sen);
    }
    proof.take(batch);
    batches.push(batch);
    lastSeq = batch.seq;
    lastEpoch = batch.epoch;
    lastAtMs = Math.max(lastAtMs, batch.atMs);
  }
  proof.confirm();
  const unprojected = batches.map((batch) => ({ batch, after: book.apply(batch) }));
  return { book, lastSeq, lastEpoch, lastAtMs, proof, projectedSeq: checkpoint.seq, unprojected };
}

/**
 * Where the chain stands at the checkpoint. When its batch has no link this folds what versions before the chain have written since
 * the last link, or since the beginning: the first takeovers after an upgrade read the journal up to the checkpoint for this.
 */
async function provenUpTo(journal: Journal, partition: string, seq: bigint, batch: Batch | undefined): Promise<ProvenUpTo> {
  if (batch?.link !== undefined) return { mac: batch.link.mac, hasLinks: true };
  if (seq === 0n) return { mac: NO_LINK, hasLinks: false };
  const linked = await journal.lastLinked(partition, seq);
  let mac = linked?.mac ?? NO_LINK;
  for await (const unlinked of journal.after(partition, linked?.seq ?? 0n)) {
    if (unlinked.seq > seq) break;
    mac = macAfter(mac, unlinked);
  }
  return { mac, hasLinks: linked !== undefined };
}
