import type { Tailed } from './publisher.ts';

/** Kept of all tails together; the ones noted longest ago go first. */
const BYTES_MAX = 8 * 1024 * 1024;
/** What an event takes beside its payload, roughly. */
const EVENT_BYTES = 512;

/**
 * The tails that this process has written last, so that confirming them need not read them. A tail is as its aggregate's acknowledged write has left it:
 * up to its newest event it has every one that was not confirmed before.
 */
export type RecentTails = {
  note(type: string, written: Tailed): void;
  /** The aggregate, unless it may have other events of that number or below; forgets it when there is nothing beyond them to know. */
  take(type: string, id: string, upToSeq: bigint): Tailed | undefined;
};

export function createRecentTails(bytesMax = BYTES_MAX): RecentTails {
  const known = new Map<string, { written: Tailed; bytes: number }>();
  let bytesKnown = 0;
  const forget = (key: string) => {
    bytesKnown -= known.get(key)?.bytes ?? 0;
    known.delete(key);
  };
  return {
    note(type, { _id, merchant_id, tail }) {
      const key = keyOf(type, _id);
      forget(key);
      const bytes = tail.reduce((sum, { payload }) => sum + payload.length() + EVENT_BYTES, 0);
      known.set(key, { written: { _id, merchant_id, tail }, bytes });
      bytesKnown += bytes;
      for (const oldest of known.keys()) {
        if (bytesKnown <= bytesMax) return;
        forget(oldest);
      }
    },
    take(type, id, upToSeq) {
      const key = keyOf(type, id);
      const written = known.get(key)?.written;
      const newest = written?.tail.at(-1)?.seq ?? 0n;
      if (newest <= upToSeq) forget(key);
      return newest >= upToSeq ? written : undefined;
    },
  };
}

function keyOf(type: string, id: string): string {
  return `${type}:${id}`;
}
