import type { Position } from './chains.ts';

/** Aggregates remembered. Those go first whose newest event ended the longest time ago. */
const AGGREGATES_MAX = 20_000;

/**
 * Remembers up to which event of each transaction this process has seen all events end: stored without a webhook, delivered or
 * given up. Such an event is never pending again. It is only a memory that saves queries; the database knows the rest.
 */
export type Progress = {
  /** Call it when the end of the event is durable. */
  ended(position: Position): void;
  /** No event of the aggregate up to this number can be pending; 0 where nothing is known. */
  endedUpTo(aggregate: string): bigint;
};

export function createProgress(): Progress {
  const upTo = new Map<string, bigint>();
  const endedUpTo = (aggregate: string) => upTo.get(aggregate) ?? 0n;
  return {
    ended({ aggregate, seq }) {
      if (seq !== endedUpTo(aggregate) + 1n) return;
      upTo.delete(aggregate);
      upTo.set(aggregate, seq);
      for (const oldest of upTo.keys()) {
        if (upTo.size <= AGGREGATES_MAX) break;
        upTo.delete(oldest);
      }
    },
    endedUpTo,
  };
}
