import type { Journal } from '../journal/journal.ts';
import type { Projection } from './projection.ts';

/** Postings; at least one batch. `inMemory`: what waits behind so many is read from the journal again, `read` of them at once. */
const LIMITS = { inMemory: 40_000, read: 10_000 };

/**
 * What a partition's projections do not have yet, oldest first; in memory only the front of it, so that a long one costs no
 * memory.
 */
export type Backlog = {
  /** `balances` are those after this batch, for when the memory is full with it. */
  add(projection: Projection, balances: () => Map<string, bigint>): void;
  /** Postings that wait. */
  size(): number;
  /** Business time of the oldest batch that waits, as far as it is in memory. */
  oldestAtMs(): number | undefined;
  /** The oldest batches up to a number of postings, at least one batch unless nothing waits; they stay until they are removed. */
  oldest(postingsMax: number): Promise<Projection[]>;
  removeOldest(batches: number): void;
};

/** `front`: what waits from the beginning. */
export function createBacklog(journal: Pick<Journal, 'after'>, partition: string, front: Projection[], limits = LIMITS): Backlog {
  let inFront = postingsOf(front);
  let size = inFront;
  /** The batches after `front` are only in the journal, from `after` to `last`; `balances` are those at `after`. */
  let behind: { after: bigint; last: bigint; balances: Map<string, bigint> } | undefined;

  const push = (projection: Projection) => {
    front.push(projection);
    inFront += projection.batch.entries.length;
  };
  const readOn = async (range: NonNullable<typeof behind>) => {
    for await (const batch of journal.after(partition, range.after)) {
      const after = new Map<string, bigint>();
      for (const { account, sen } of batch.entries.flatMap(({ legs }) => legs)) {
        const afterSen = (range.balances.get(account) ?? 0n) + sen;
        range.balances.set(account, afterSen);
        after.set(account, afterSen);
      }
      range.after = batch.seq;
      push({ batch, after });
      if (inFront >= limits.read || batch.seq >= range.last) return;
    }
  };
  return {
    add(projection, balances) {
      size += projection.batch.entries.length;
      const { seq } = projection.batch;
      if (behind !== undefined) {
        behind.last = seq;
        return;
      }
      push(projection);
      if (inFront >= limits.inMemory) behind = { after: seq, last: seq, balances: balances() };
    },
    size: () => size,
    oldestAtMs: () => front[0]?.batch.atMs,
    async oldest(postingsMax) {
      if (front.length === 0 && behind !== undefined) {
        if (behind.after < behind.last) await readOn(behind);
        else behind = undefined;
      }
      let postings = 0;
      const end = front.findIndex(({ batch }, index) => {
        postings += batch.entries.length;
        return index > 0 && postings > postingsMax;
      });
      return front.slice(0, end < 0 ? undefined : end);
    },
    removeOldest(batches) {
      const postings = postingsOf(front.splice(0, batches));
      inFront -= postings;
      size -= postings;
    },
  };
}

function postingsOf(projections: readonly Projection[]): number {
  return projections.reduce((sum, { batch }) => sum + batch.entries.length, 0);
}
