import type { Book } from '../posting/book.ts';
import type { KnownKey, Posting } from '../posting/posting.ts';

/** What was known of some postings' keys at the time when `sinceSeq` was the last durable batch. */
export type LookedUp = { known: ReadonlyMap<string, KnownKey>; sinceSeq: bigint };

/**
 * Answers of posting keys seen before: the recent ones are in the book, the older ones in the projections, which are asked ahead.
 */
export type KnownKeys = {
  /** Asks the projections for what the book does not have, once for all of the postings. */
  lookUp(postings: readonly Posting[]): Promise<LookedUp>;
  /** The answers as of now, from what was looked up before; looks them up again where that may have missed one. */
  answersOf(postings: readonly Posting[], lookedUp: readonly LookedUp[]): Promise<ReadonlyMap<string, KnownKey>>;
};

export function createKnownKeys(
  book: Book,
  lastSeq: () => bigint,
  findProjected: (keys: readonly string[]) => Promise<ReadonlyMap<string, KnownKey>>,
): KnownKeys {
  const lookUp = async (postings: readonly Posting[]): Promise<LookedUp> => {
    const sinceSeq = lastSeq();
    // What the book knows is taken down first: it may forget a key while the projections are asked for the others.
    const known = new Map<string, KnownKey>();
    const older: string[] = [];
    for (const { key } of postings) {
      const recent = book.keyOf(key);
      if (recent === undefined) older.push(key);
      else known.set(key, recent);
    }
    // Young partitions have all of their keys in memory, and need not ask.
    if (older.length > 0 && !book.hasAllKeys()) for (const [key, answer] of await findProjected(older)) known.set(key, answer);
    return { known, sinceSeq };
  };
  return {
    lookUp,
    async answersOf(postings, lookedUp) {
      const known = new Map<string, KnownKey>();
      for (const one of lookedUp) {
        // A key that came after the look, and that the book has forgotten since, is in neither.
        if (book.forgottenSeq() > one.sinceSeq) return (await lookUp(postings)).known;
        for (const [key, answer] of one.known) known.set(key, answer);
      }
      for (const { key } of postings) {
        const recent = book.keyOf(key);
        if (recent !== undefined) known.set(key, recent);
      }
      return known;
    },
  };
}
