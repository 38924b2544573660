import { isRefusal, RefusalError } from '@gerbang/core';
import { retryConflicts } from '@gerbang/store';
import type { Context } from '../context.ts';
import { type DiscrepancyCommand, decideDiscrepancy } from './discrepancy.ts';
import type { StoredDiscrepancy } from './document.ts';

/** The discrepancy as it now stands, and whether this call has changed it. */
export type Changed = { discrepancy: StoredDiscrepancy; isChanged: boolean };

/**
 * Decides a command and writes it; when another process has written meanwhile, decides anew on what is there now. Refusals: those
 * of the decider, unavailable.
 */
export function changeDiscrepancy(
  { discrepancies, clock }: Pick<Context, 'discrepancies' | 'clock'>,
  first: StoredDiscrepancy,
  command: DiscrepancyCommand,
): Promise<Changed> {
  return retryConflicts<StoredDiscrepancy, Changed>({
    first,
    async read() {
      const found = await discrepancies.find(first.order.id);
      if (found === undefined) throw new Error(`discrepancy ${first.order.id} has vanished`);
      return found;
    },
    async write(current) {
      const nowMs = clock.now();
      const events = decideDiscrepancy(current.state, command, nowMs);
      if (isRefusal(events)) throw new RefusalError(events);
      const [event] = events;
      if (event === undefined) return { discrepancy: current, isChanged: false };
      const discrepancy = await discrepancies.apply(current, event.state, nowMs);
      return discrepancy && { discrepancy, isChanged: true };
    },
  });
}
