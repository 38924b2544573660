import { RefusalError, refuse } from '@gerbang/core';
import { type ChangeContext, mustFind } from '../payable/change.ts';
import { detailsOf, PAYMENT_LINK_HISTORY } from '../payable/product.ts';
import type { StoredPayable } from '../payable/stored-payable.ts';

const CONFLICTS_MAX = 5;

/**
 * Writes down that a method of a session was declined, so that its page says so and offers the others. False where that was known. Refusals: unavailable, when
 * others always write first.
 */
export async function noteDeclined(context: ChangeContext, history: StoredPayable, method: string): Promise<boolean> {
  let current = history;
  for (let attempt = 0; attempt < CONFLICTS_MAX; attempt++) {
    const details = detailsOf(current.details, PAYMENT_LINK_HISTORY);
    const declined = details.declined ?? [];
    if (declined.includes(method)) return false;
    const changed = { details: { ...details, declined: [...declined, method] }, nowMs: context.clock.now(), published: [] };
    if ((await context.payables.apply(current, [], changed)) !== undefined) return true;
    current = await mustFind(context, history.order.id);
  }
  throw new RefusalError(refuse('unavailable', { retryAfterMs: 1_000 }));
}
