import { retryConflicts } from '@gerbang/store';
import type { Claims } from './claims.ts';
import { type Attempt, type DeliveryEvent, type DeliveryState, decide, evolve, type StoredDelivery } from './delivery.ts';
import type { RetryPolicy } from './schedule.ts';

/** What an attempt has changed. `awaited`: a later event waits until the delivery has ended. */
export type Recorded = { events: DeliveryEvent[]; state: DeliveryState; awaited: boolean };

/**
 * Writes the outcome of an attempt. It resolves when the outcome is written, or with undefined when another replica has claimed
 * the delivery: then nothing is written. Refusals: unavailable, when others have always written first.
 */
export type Recorder = (stored: StoredDelivery, attempt: Attempt, nowMs: number) => Promise<Recorded | undefined>;

/**
 * Where a delivery has changed during its attempt, by a redelivery request or by an event that waits for it, the outcome is
 * decided anew.
 */
export function createRecorder(claims: Pick<Claims, 'record' | 'findClaimed'>, owner: string, policy: RetryPolicy): Recorder {
  return async (stored, attempt, nowMs) => {
    const written = await retryConflicts<StoredDelivery | undefined, { recorded: Recorded | undefined }>({
      first: stored,
      read: () => claims.findClaimed(stored.delivery.id, owner),
      async write(current) {
        if (current === undefined) return { recorded: undefined };
        const { delivery, awaited } = current;
        const events = decide(delivery.state, { type: 'record', attempt, nowMs }, policy);
        if (!(await claims.record({ stored: current, events }, owner))) return undefined;
        return { recorded: { events, state: events.reduce(evolve, delivery.state), awaited } };
      },
    });
    return written.recorded;
  };
}
