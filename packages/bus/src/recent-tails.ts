import type { Tailed } from './publisher.ts';

/** Kept of all tails together; the half that was noted first is forgotten at once. */
const BYTES_MAX = 8 * 1024 * 1024;
/** What an event takes beside its payload, roughly. */
const EVENT_BYTES = 512;

/**
 * The tails that this process has written last, so that confirming them need not read them. A tail is as its aggregate's
 * acknowledged write has left it: up to its newest event it has every one that was not confirmed before.
 */
export type RecentTails = {
  note(type: string, written: Tailed): void;
  /**
   * The aggregate, unless it may have other events of that number or below; forgets it when there is nothing beyond them to know.
   */
  take(type: string, id: string, upToSeq: bigint): Tailed | undefined;
};

/**
 * No key ever leaves a map, the older one is dropped as a whole: a map that keys enter and leave all the time is rehashed all the
 * time, and lets the collector keep what was in the tables that it has left.
 */
export function createRecentTails(bytesMax = BYTES_MAX): RecentTails {
  type Tails = Map<string, Tailed | undefined>;
  let older: Tails = new Map();
  let newer: Tails = new Map();
  let bytesNewer = 0;
  return {
    note(type, { _id, merchant_id, tail }) {
      newer.set(keyOf(type, _id), { _id, merchant_id, tail });
      bytesNewer += tail.reduce((sum, { payload }) => sum + payload.length() + EVENT_BYTES, 0);
      if (bytesNewer <= bytesMax / 2) return;
      [older, newer, bytesNewer] = [newer, new Map(), 0];
    },
    take(type, id, upToSeq) {
      const key = keyOf(type, id);
      const tails = newer.has(key) ? newer : older;
      const written = tails.get(key);
      if (written === undefined) return undefined;
      const newest = written.tail.at(-1)?.seq ?? 0n;
      if (newest <= upToSeq) tails.set(key, undefined);
      return newest >= upToSeq ? written : undefined;
    },
  };
}

function keyOf(type: string, id: string): string {
  return `${type}:${id}`;
}
