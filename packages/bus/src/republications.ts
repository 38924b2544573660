const WAIT_FIRST_MS = 3_000;
const WAIT_MAX_MS = 30_000;
/**
 * Tails remembered; of more than these the ones published longest ago are forgotten, and so are published again a little sooner.
 */
const REMEMBERED_MAX = 20_000;

/** A tail by what is oldest in it: one whose beginning was confirmed is another one. */
type TailStart = { _id: string; tail: readonly { seq: bigint }[] };

/** When to publish the tails again that were published and are still not confirmed. */
export type Republications = {
  /** Whether a tail that was found unconfirmed is to be published now. */
  isDue(type: string, start: TailStart): boolean;
  /** Notes that it was; each time it waits twice as long, up to 30 s. */
  published(type: string, start: TailStart): void;
  /** Everything unconfirmed has been asked about since the last call: what was not is confirmed, and forgotten. */
  roundIsOver(): void;
};

export function createRepublications(nowMs: () => number = () => performance.now()): Republications {
  const known = new Map<string, { waitMs: number; nextMs: number; round: number }>();
  let round = 0;
  return {
    isDue(type, start) {
      const entry = known.get(keyOf(type, start));
      if (entry === undefined) return true;
      entry.round = round;
      return entry.nextMs <= nowMs();
    },
    published(type, start) {
      const key = keyOf(type, start);
      const waitMs = Math.min((known.get(key)?.waitMs ?? WAIT_FIRST_MS / 2) * 2, WAIT_MAX_MS);
      known.delete(key);
      known.set(key, { waitMs, nextMs: nowMs() + waitMs, round });
      if (known.size <= REMEMBERED_MAX) return;
      for (const oldest of known.keys()) {
        known.delete(oldest);
        break;
      }
    },
    roundIsOver() {
      for (const [key, entry] of known) if (entry.round !== round) known.delete(key);
      round++;
    },
  };
}

function keyOf(type: string, { _id, tail }: TailStart): string {
  return `${type}:${_id}:${tail[0]?.seq}`;
}
