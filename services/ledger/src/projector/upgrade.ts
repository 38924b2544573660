import type { Journal } from '../journal/journal.ts';
import { Book } from '../posting/book.ts';
import type { Projection } from './projection.ts';
import type { ProjectionStore } from './store.ts';

const ROUND_POSTINGS_MAX = 2_000;

/**
 * Writes postings that an earlier version has projected anew from the journal, in memory bounded by the number of accounts, and
 * does nothing when they are of this version. The rest of the projections is the same in both. May be repeated, also after half
 * of it.
 */
export async function upgradeProjections(journal: Journal, projections: ProjectionStore, partition: string): Promise<void> {
  if (!(await projections.isOutdated(partition))) return;
  const book = new Book({ fromTheBeginning: true });
  let round: Projection[] = [];
  let postings = 0;
  for await (const batch of journal.after(partition, 0n)) {
    round.push({ batch, after: book.apply(batch) });
    book.forgetKeys(batch.seq, 0);
    postings += batch.entries.length;
    if (postings < ROUND_POSTINGS_MAX) continue;
    await projections.rewritePostings(round);
    round = [];
    postings = 0;
  }
  await projections.rewritePostings(round);
  await projections.markCurrent(partition);
}
