import { isRefusal } from '@gerbang/core';
import type { Context } from '../context.ts';
import { announce } from './announce.ts';
import { askBeforeExpiry, isHeldByRail, type Verdict } from './ask-before-expiry.ts';
import { changePayable, mustFind } from './change.ts';
import { decide, isOverdue } from './payable.ts';
import { PAYMENT_LINK, PAYMENT_LINK_HISTORY } from './product.ts';
import type { StoredPayable } from './stored-payable.ts';

/** An expiry that meets a payment under way looks again after this long. */
const LOOK_AGAIN_MS = 500;

/**
 * Ends payables whose time is over, each announced once. One that is being paid just now waits for that; a link's uses in flight are sessions, which it does not
 * wait for. Where a rail may know of a payment that it has not told of, it is asked first. Runs at least once for each.
 */
export async function onPayablesDue(context: Context, payables: readonly StoredPayable[]): Promise<void> {
  const nowMs = context.clock.now();
  const due = payables.filter(({ state }) => isOverdue(state, nowMs));
  const beingPaid = due.filter(({ details, state }) => details.kind !== PAYMENT_LINK && state.inFlight.length > 0);
  const idle = due.filter((payable) => !beingPaid.includes(payable));
  const held = idle.filter(isHeldByRail);
  await Promise.all([
    context.payables.postponeMany(
      beingPaid.map((payable) => ({ payable, untilMs: nowMs + LOOK_AGAIN_MS, asked: payable.asked ?? 0 })),
    ),
    expire(
      context,
      idle.filter((payable) => !held.includes(payable)),
    ),
    askAndExpire(context, held),
  ]);
}

/** One that could not be asked about stays leased, and comes again. */
async function askAndExpire(context: Context, held: readonly StoredPayable[]): Promise<void> {
  const asking = held.map(async (payable): Promise<Verdict> => {
    try {
      return await askBeforeExpiry(context, payable);
    } catch (error) {
      context.log.error({ err: error, payable: payable.order.id }, 'an overdue payable could not be looked into');
      return { verdict: 'over' };
    }
  });
  const verdicts = await Promise.all(asking);
  await Promise.all([
    context.payables.postponeMany(verdicts.filter((one) => one.verdict === 'wait')),
    expire(
      context,
      verdicts.flatMap((one) => (one.verdict === 'expire' ? [one.payable] : [])),
    ),
  ]);
}

/** Those that are part of nothing in one write; a session gives its use back to its link. */
async function expire(context: Context, payables: readonly StoredPayable[]): Promise<void> {
  const sessions = payables.filter(({ details }) => details.kind === PAYMENT_LINK_HISTORY);
  const others = payables.filter(({ details }) => details.kind !== PAYMENT_LINK_HISTORY);
  const nowMs = context.clock.now();
  const changes = others.flatMap((payable) => {
    const events = decide(payable.state, { type: 'expire' }, nowMs);
    if (isRefusal(events) || events.length === 0) return [];
    const after = context.payables.after(payable, events, { nowMs });
    return [{ payable, events, beside: { nowMs, published: announce(after, 'expired', nowMs) } }];
  });
  await Promise.all([context.payables.applyMany(changes), ...sessions.map((session) => expireSession(context, session))]);
  for (const { details } of payables) context.metrics.expired(details.kind);
}

async function expireSession(context: Context, session: StoredPayable): Promise<void> {
  if (session.details.kind !== PAYMENT_LINK_HISTORY) return;
  const link = await mustFind(context, session.details.link);
  const expired = await changePayable(context, session, { type: 'expire' }, { announced: 'expired', link });
  if (expired.state.status === 'expired') await changePayable(context, link, { type: 'release', by: session.order.id });
}
