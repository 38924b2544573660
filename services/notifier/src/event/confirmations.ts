import { setTimeout as sleep } from 'node:timers/promises';
import type { EventSourceService } from '@gerbang/proto/gerbang/events/v1/events';
import type { RpcClient } from '@gerbang/rpc';
import type { Closeable, Logger } from '@gerbang/runtime';

/** Confirmations in one call; an owner takes no more. */
const CALL_MAX = 1_000;
/** A confirmation has time, and a call costs the owner three commands however many confirmations it carries. */
const COLLECT_MS = 50;

export type Confirmation = { aggregateType: string; aggregateId: string; upToSeq: bigint };

/** Confirms to the owner of events that they are stored durably. */
export type Confirmations = Closeable & {
  /** Returns at once. Confirmations that come soon after each other, or during a call, go together in the next call. */
  add(confirmations: readonly Confirmation[]): void;
};

/**
 * Makes one call at a time to the owner. It forgets confirmations that the owner did not take: the owner's relay publishes those
 * events again, and then they are confirmed again. Closing sends what is left.
 */
export function createConfirmations(source: Pick<RpcClient<typeof EventSourceService>, 'confirm'>, log: Logger): Confirmations {
  const waiting = new Map<string, Confirmation>();
  const closing = new AbortController();
  let busy = false;
  let calling = Promise.resolve();

  const call = async () => {
    busy = true;
    while (waiting.size > 0) {
      // Only closing ends the sleep early.
      if (waiting.size < CALL_MAX) await sleep(COLLECT_MS, undefined, { signal: closing.signal }).catch(() => {});
      const confirmations = [...waiting.values()].slice(0, CALL_MAX);
      for (const confirmation of confirmations) waiting.delete(keyOf(confirmation));
      try {
        await source.confirm({ confirmations });
      } catch (error) {
        log.warn({ err: error, confirmations: confirmations.length }, 'could not confirm events; they will be published again');
      }
    }
    busy = false;
  };
  return {
    add(confirmations) {
      for (const confirmation of confirmations) {
        const key = keyOf(confirmation);
        const known = waiting.get(key);
        if (known === undefined || known.upToSeq < confirmation.upToSeq) waiting.set(key, confirmation);
      }
      if (!busy) calling = call();
    },
    async close() {
      closing.abort();
      await calling;
    },
  };
}

function keyOf({ aggregateType, aggregateId }: Confirmation): string {
  return `${aggregateType}:${aggregateId}`;
}
