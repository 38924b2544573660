import type { Position } from './chains.ts';

/** Aggregates remembered; those go first whose newest event has been over for longest. */
const AGGREGATES_MAX = 20_000;

/**
 * Up to where this process has itself seen the events of transactions end, each after the one before it: stored as unwanted, delivered or given up, none
 * of which is ever pending again. A memory alone: what it does not know, the database does.
 */
export type Progress = {
  /** Call it when it is durably so. */
  over(position: Position): void;
  /** No event of the aggregate up to this number can be pending; 0 where nothing is known. */
  overUpTo(aggregate: string): bigint;
};

export function createProgress(): Progress {
  const upTo = new Map<string, bigint>();
  const overUpTo = (aggregate: string) => upTo.get(aggregate) ?? 0n;
  return {
    over({ aggregate, seq }) {
      if (seq !== overUpTo(aggregate) + 1n) return;
      upTo.delete(aggregate);
      upTo.set(aggregate, seq);
      for (const oldest of upTo.keys()) {
        if (upTo.size <= AGGREGATES_MAX) break;
        upTo.delete(oldest);
      }
    },
    overUpTo,
  };
}
