import { isRefusal } from '@gerbang/core';
import type { Context } from '../context.ts';
import { announce } from './announce.ts';
import { changePayable, mustFind } from './change.ts';
import { decide, isOverdue } from './payable.ts';
import { PAYMENT_LINK, PAYMENT_LINK_HISTORY } from './product.ts';
import type { StoredPayable } from './store.ts';

/** An expiry that meets a payment under way looks again after this long. */
const LOOK_AGAIN_MS = 500;

/**
 * Ends a payable whose time is over, announced once. One that is being paid just now waits for that; a link's uses in flight are sessions, which it does not wait
 * for. A session gives its use back to its link. Runs at least once.
 */
export async function onPayableDue(context: Context, payable: StoredPayable): Promise<void> {
  const nowMs = context.clock.now();
  if (!isOverdue(payable.state, nowMs)) return;
  const { details } = payable;
  if (details.kind !== PAYMENT_LINK && payable.state.inFlight.length > 0) {
    await context.payables.postpone(payable, nowMs + LOOK_AGAIN_MS);
    return;
  }
  if (details.kind !== PAYMENT_LINK_HISTORY) {
    await changePayable(context, payable, { type: 'expire' }, { announced: 'expired' });
  } else {
    const link = await mustFind(context, details.link);
    const expired = await changePayable(context, payable, { type: 'expire' }, { announced: 'expired', link });
    if (expired.state.status === 'expired') await changePayable(context, link, { type: 'release', by: payable.order.id });
  }
  context.metrics.expired(details.kind);
}

/** The same for many at once: those that wait for nothing and are part of nothing expire in one write. */
export async function onPayablesDue(context: Context, payables: readonly StoredPayable[]): Promise<void> {
  const nowMs = context.clock.now();
  const plain = payables.filter((payable) => isOverdue(payable.state, nowMs) && isPlain(payable));
  const others = payables.filter((payable) => !plain.includes(payable));
  const changes = plain.flatMap((payable) => {
    const events = decide(payable.state, { type: 'expire' }, nowMs);
    if (isRefusal(events)) return [];
    const after = context.payables.after(payable, events, { nowMs });
    return [{ payable, events, beside: { nowMs, published: announce(after, 'expired', nowMs) } }];
  });
  await Promise.all([context.payables.applyMany(changes), ...others.map((payable) => onPayableDue(context, payable))]);
  for (const { details } of plain) context.metrics.expired(details.kind);
}

function isPlain({ details, state }: StoredPayable): boolean {
  return details.kind !== PAYMENT_LINK_HISTORY && (details.kind === PAYMENT_LINK || state.inFlight.length === 0);
}
