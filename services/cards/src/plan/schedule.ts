import { EXPIRY_NOTICE_MS, GIVE_UP_AFTER_MS, nextDueOf } from './plan.ts';
import { hasEnded, type PlanOrder, type PlanState } from './state.ts';

/** A plan whose process has died is taken up again this long after its last step. */
export const RESUME_AFTER_MS = 10_000;

/**
 * When a plan's timer fires next; undefined for never. While a cycle is charged it is looked at now and then, in case the process that
 * would have gone on at its outcome has died.
 */
export function nextDueMs(order: PlanOrder, state: PlanState, nowMs: number): number | undefined {
  const isCharging = state.open !== undefined && !state.open.hasFailed;
  // Of one that has ended, the card is still to be deleted.
  if (isCharging || hasEnded(state)) return nowMs + RESUME_AFTER_MS;
  const noticeMs = state.card.isExpiryAnnounced ? undefined : state.card.expiresAtMs - EXPIRY_NOTICE_MS;
  const giveUpMs = state.status === 'pending' ? order.createdAtMs + GIVE_UP_AFTER_MS : undefined;
  const cycleMs = state.status === 'active' || isOwedInPause(order, state) ? nextDueOf(order, state) : undefined;
  const times = [noticeMs, giveUpMs, cycleMs].filter((ms) => ms !== undefined);
  return times.length === 0 ? undefined : Math.min(...times);
}

function isOwedInPause(order: PlanOrder, state: PlanState): boolean {
  return state.status === 'paused' && (nextDueOf(order, state) ?? Number.POSITIVE_INFINITY) < (state.pausedAtMs ?? 0);
}
