import type { Claims } from './claims.ts';
import { type Attempt, type DeliveryEvent, type DeliveryState, decide, evolve } from './delivery.ts';
import type { StoredDelivery } from './document.ts';
import type { RetryPolicy } from './schedule.ts';

/** What an attempt has changed. `awaited`: something was held back until the delivery is over. */
export type Recorded = { events: DeliveryEvent[]; state: DeliveryState; awaited: boolean };

/** Writes what an attempt has come to. Resolves when it is written, with undefined where the claim was lost meanwhile: then it was not written. */
export type Recorder = (stored: StoredDelivery, attempt: Attempt, nowMs: number) => Promise<Recorded | undefined>;

/** A delivery that has changed during its attempt, by a wish or because something waits for it now, is decided anew. */
export function createRecorder(claims: Pick<Claims, 'record' | 'findClaimed'>, owner: string, policy: RetryPolicy): Recorder {
  return async (stored, attempt, nowMs) => {
    let current: StoredDelivery | undefined = stored;
    while (current !== undefined) {
      const { delivery, document }: StoredDelivery = current;
      const events = decide(delivery.state, { type: 'record', attempt, nowMs }, policy);
      if (await claims.record({ stored: current, events }, owner))
        return { events, state: events.reduce(evolve, delivery.state), awaited: document.awaited === true };
      current = await claims.findClaimed(delivery.id, owner);
    }
    return undefined;
  };
}
