import { setTimeout as sleep } from 'node:timers/promises';
import type { EventSourceService } from '@gerbang/proto/gerbang/events/v1/events';
import type { RpcClient } from '@gerbang/rpc';
import type { Closeable, Logger } from '@gerbang/runtime';

/** Confirmations in one call, as many as an owner takes. */
const CALL_MAX = 1_000;
/** Nobody waits for a confirmation, and a call costs the owner three commands however many it carries. */
const COLLECT_MS = 50;

export type Confirmation = { aggregateType: string; aggregateId: string; upToSeq: bigint };

/** Tells the owner of events which of them are stored for good. */
export type Confirmations = Closeable & {
  /** Returns at once. What comes soon after it, or while a call is on its way, goes with it in one call. */
  add(confirmations: readonly Confirmation[]): void;
};

/**
 * One call at a time to the owner. A confirmation that could not be delivered is forgotten: the owner's relay publishes what is unconfirmed again, and
 * then it is confirmed again. Closing sends what is left.
 */
export function createConfirmations(source: Pick<RpcClient<typeof EventSourceService>, 'confirm'>, log: Logger): Confirmations {
  const waiting = new Map<string, Confirmation>();
  const closing = new AbortController();
  let busy = false;
  let calling = Promise.resolve();

  const call = async () => {
    busy = true;
    while (waiting.size > 0) {
      // Cut short by closing, which is all that it can be woken by.
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
