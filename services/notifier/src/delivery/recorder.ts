import type { Closeable } from '@gerbang/runtime';
import type { Outcome, Unwritten } from './claims.ts';
import { type Attempt, type DeliveryEvent, type DeliveryState, decide, evolve } from './delivery.ts';
import type { StoredDelivery } from './document.ts';
import type { RetryPolicy } from './schedule.ts';

const WRITTEN_TOGETHER = 250;

/** What an attempt has changed. */
export type Recorded = { events: DeliveryEvent[]; state: DeliveryState };

/**
 * Writes what attempts have come to. What ends while a write is on its way goes with the next one, so that the database is asked seldom when there is
 * much to write, and at once when there is little.
 */
export type Recorder = Closeable & {
  /** Resolves when it is written, with undefined where the claim was lost meanwhile: then it was not written. Rejects when that is not known. */
  record(stored: StoredDelivery, attempt: Attempt, nowMs: number): Promise<Recorded | undefined>;
};

type Entry = {
  stored: StoredDelivery;
  attempt: Attempt;
  nowMs: number;
  resolve(recorded: Recorded | undefined): void;
  reject(error: unknown): void;
};

/** `write` is that of the store. */
export function createRecorder(write: (outcomes: readonly Outcome[]) => Promise<Unwritten>, policy: RetryPolicy): Recorder {
  const waiting: Entry[] = [];
  let flushing: Promise<void> | undefined;

  const flushAll = async () => {
    // Attempts that end in the same turn of the loop are written together.
    await new Promise(setImmediate);
    while (waiting.length > 0) await flush(waiting.splice(0, WRITTEN_TOGETHER));
    flushing = undefined;
  };
  const flush = async (entries: readonly Entry[]) => {
    const outcomes = entries.map(({ stored, attempt, nowMs }) => ({
      stored,
      events: decide(stored.delivery.state, { type: 'record', attempt, nowMs }, policy),
    }));
    try {
      const { changed, lost } = await write(outcomes);
      const now = new Map(changed.map((stored) => [stored.delivery.id, stored]));
      for (const [i, entry] of entries.entries()) {
        const { id, state } = entry.stored.delivery;
        const events = outcomes[i]?.events ?? [];
        const newer = now.get(id);
        if (newer !== undefined) waiting.push({ ...entry, stored: newer });
        else entry.resolve(lost.has(id) ? undefined : { events, state: events.reduce(evolve, state) });
      }
    } catch (error) {
      for (const entry of entries) entry.reject(error);
    }
  };
  return {
    record(stored, attempt, nowMs) {
      const { promise, resolve, reject } = Promise.withResolvers<Recorded | undefined>();
      waiting.push({ stored, attempt, nowMs, resolve, reject });
      flushing ??= flushAll();
      return promise;
    },
    async close() {
      await flushing;
    },
  };
}
