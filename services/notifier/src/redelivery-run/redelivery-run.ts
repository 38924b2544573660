import { ulidFrom } from '@gerbang/core';
import type { DeliveryState } from '../delivery/delivery.ts';

/**
 * Which webhooks a run sends again. Undefined fields do not narrow them down. The times are those of the events, both included.
 */
export type RunFilter = {
  fromMs: number;
  toMs: number;
  event: string | undefined;
  merchantId: string | undefined;
  id: string | undefined;
  status: DeliveryState['status'] | undefined;
};

/**
 * A part of a run: the deliveries that match, their endpoints, and where the next part begins; `after` is undefined when there is
 * none.
 */
export type RunPart = { ids: string[]; endpoints: Set<string>; after: string | undefined };

/** The range of the ids of events in the filter's time: from the first one on, and before the second one. */
export function idRangeOf({ fromMs, toMs }: RunFilter): { from: string; before: string } {
  return { from: firstIdAt(fromMs), before: firstIdAt(toMs + 1) };
}

/** No event of that time or later has a lesser id. */
function firstIdAt(ms: number): string {
  return `${ulidFrom(ms, '').slice(0, 10)}0000000000000000`;
}
