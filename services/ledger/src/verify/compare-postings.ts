import { isDeepStrictEqual } from 'node:util';
import type { Journal } from '../journal/journal.ts';
import type { Batch } from '../posting/posting.ts';
import type { PostingDocument } from '../projector/posting-document.ts';
import type { PostingPlace, ProjectionStore } from '../projector/store.ts';
import type { Differ } from './rebuild.ts';

/** Compares what the journal makes of postings with what is stored under their keys. */
export async function comparePostings(
  projections: ProjectionStore,
  partition: string,
  expected: readonly PostingDocument[],
  differ: Differ,
): Promise<void> {
  if (expected.length === 0) return;
  const found = await projections.postings(
    partition,
    expected.map(({ key }) => key),
  );
  const stored = new Map(found.map((document) => [document.key, document]));
  for (const document of expected) {
    const { key, seq } = document;
    if (!stored.has(key)) differ(`posting ${key} at ${seq} is not stored`);
    else if (!isDeepStrictEqual(stored.get(key), document)) differ(`posting ${key} at ${seq} is stored otherwise`);
  }
}

/** Finds every stored posting that the journal does not have where it says; reads the journal once more for that. */
export async function* orphans(journal: Journal, places: AsyncIterable<PostingPlace>, partition: string): AsyncGenerator<string> {
  let batch: Batch | undefined;
  for await (const { key, seq, index } of places) {
    if (batch?.seq !== seq) batch = await journal.readNow(partition, seq);
    if (batch?.entries[index]?.posting.key !== key)
      yield `posting ${key} is stored as of ${seq}, where the journal does not have it`;
  }
}
