import type { EventType } from '@gerbang/present';
import type { NewEvent } from '@gerbang/store';
import type { EventName, Kinds } from './kind.ts';
import type { PaymentRequest } from './request.ts';

/** The event of a change: the request as it is after the change, with its parent where its kind has one. */
export function eventOf(
  kinds: Kinds,
  after: PaymentRequest,
  { what, nowMs, parent }: { what: EventName; nowMs: number; parent?: PaymentRequest | undefined },
): NewEvent<EventType<'money-in'>> {
  const kind = kinds.ofRequest(after);
  const type = kind.events[what];
  if (type === undefined) throw new Error(`${kind.name} publishes no event when a request is ${what}`);
  const counted = { ...after, eventsCount: after.eventsCount + 1 };
  const payload = kind.eventPayload(counted, { nowMs, parent });
  return { type, schema: 1, payload, atMs: nowMs };
}
