import { type Refusal, refuse } from '@gerbang/core';
import { dueOf, firstDueAfter } from './calendar.ts';
import {
  hasEnded,
  type NetworkReference,
  type PlanCard,
  type PlanCommand,
  type PlanEvent,
  type PlanOrder,
  type PlanPublished,
  type PlanState,
} from './state.ts';

/** How long before its card expires a merchant hears of it. */
export const EXPIRY_NOTICE_MS = 30 * 86_400_000;
/** A plan whose first charge is not authenticated by then is cancelled. */
export const GIVE_UP_AFTER_MS = 24 * 3_600_000;

/**
 * How a plan begins. One that starts now is pending, its first cycle open, until its first charge has an outcome. One that starts later
 * has nothing to wait for.
 */
export function beginPlan({ calendar, createdAtMs }: PlanOrder, card: PlanCard): PlanState {
  const startsNow = calendar.startAtMs <= createdAtMs;
  return {
    status: startsNow ? 'pending' : 'active',
    card,
    nextCycle: startsNow ? 2 : 1,
    open: startsNow ? { cycle: 1, hasFailed: false } : undefined,
    paidCycles: 0,
    pausedAtMs: undefined,
    skips: [],
    ended: undefined,
  };
}

/**
 * Decides a command. An empty list: it has been done before, or what it is about is over. Refusals: transaction_failed (the plan does
 * not allow this move).
 */
export function decide(order: PlanOrder, state: PlanState, command: PlanCommand, nowMs: number): PlanEvent[] | Refusal {
  switch (command.type) {
    case 'begin-cycle':
      return beginCycle(order, state, nowMs);
    case 'cycle-paid':
      return state.open?.cycle === command.cycle ? cyclePaid(order, state, command.reference, nowMs) : [];
    case 'cycle-failed':
      return state.open?.cycle === command.cycle ? cycleFailed(state, command.isDeclined, nowMs) : [];
    case 'give-up':
      return state.status === 'pending' ? end(state, 'not_authenticated', nowMs) : [];
    case 'announce-expiry': {
      const isDue = !hasEnded(state) && !state.card.isExpiryAnnounced && nowMs >= state.card.expiresAtMs - EXPIRY_NOTICE_MS;
      return isDue ? to({ ...state, card: { ...state.card, isExpiryAnnounced: true } }, 'subscription.card_expiring') : [];
    }
    case 'card-kept':
      return state.card.token === command.lost ? to({ ...state, card: { ...state.card, token: command.token } }) : [];
    case 'pause':
    case 'resume':
    case 'cancel':
    case 'replace-card':
      return decideMove(order, state, command, nowMs);
    default:
      return command satisfies never;
  }
}

/** What a merchant asks for. */
function decideMove(
  order: PlanOrder,
  state: PlanState,
  command: Extract<PlanCommand, { type: 'pause' | 'resume' | 'cancel' | 'replace-card' }>,
  nowMs: number,
): PlanEvent[] | Refusal {
  const no = refuse('transaction_failed', { message: `The plan is ${state.status}` });
  switch (command.type) {
    case 'pause':
      return state.status === 'active' ? to({ ...state, status: 'paused', pausedAtMs: nowMs }) : no;
    case 'resume':
      return state.status === 'paused' ? resume(order, state, nowMs) : no;
    case 'cancel':
      return hasEnded(state) ? no : end(state, 'merchant', nowMs);
    case 'replace-card': {
      if (hasEnded(state)) return no;
      const open = state.open?.hasFailed ? { ...state.open, hasFailed: false } : state.open;
      return to({ ...state, card: command.card, open });
    }
    default:
      return command satisfies never;
  }
}

/** What fell due before a pause is owed, and is charged in it too; what falls due in it is skipped when the plan is resumed. */
function beginCycle(order: PlanOrder, state: PlanState, nowMs: number): PlanEvent[] {
  const dueMs = nextDueOf(order, state);
  const isOwed =
    state.status === 'active' || (state.status === 'paused' && dueMs !== undefined && dueMs < (state.pausedAtMs ?? 0));
  if (!isOwed || dueMs === undefined || dueMs > nowMs) return [];
  const open = { cycle: state.nextCycle, hasFailed: false };
  return to(skipPaused(order, { ...state, open, nextCycle: state.nextCycle + 1 }));
}

/** When the next cycle is due; undefined where one is open, or none is to come. */
export function nextDueOf({ calendar, totalCycles }: PlanOrder, { open, nextCycle }: PlanState): number | undefined {
  if (open !== undefined || nextCycle > (totalCycles ?? Number.POSITIVE_INFINITY)) return undefined;
  return dueOf(calendar, nextCycle);
}

function cyclePaid(order: PlanOrder, state: PlanState, reference: NetworkReference | undefined, nowMs: number): PlanEvent[] {
  // Its customer has agreed to charges of the card that was charged, not of one that has taken its place meanwhile.
  const isOfCard = reference?.maskedCard === state.card.maskedCard;
  const isFirst = isOfCard && state.card.networkTransactionId === '';
  const card = isFirst ? { ...state.card, networkTransactionId: reference.networkTransactionId } : state.card;
  const paid = { ...state, card, open: undefined, paidCycles: state.paidCycles + 1 };
  if (state.status === 'paused' || hasEnded(state)) return to(paid);
  const published: PlanPublished[] = state.status === 'pending' ? ['subscription.activated'] : [];
  return finishOr({ ...paid, status: 'active' }, { order, published, nowMs });
}

function cycleFailed(state: PlanState, isDeclined: boolean, nowMs: number): PlanEvent[] {
  if (state.open === undefined || state.open.hasFailed) return [];
  const failed = { ...state, open: { ...state.open, hasFailed: true } };
  switch (state.status) {
    case 'pending':
      return isDeclined ? end({ ...failed, open: undefined }, 'declined', nowMs) : to(failed);
    case 'active':
      return to({ ...failed, status: 'past_due' }, 'subscription.past_due');
    // It is past due when it is resumed.
    case 'paused':
    case 'past_due':
      return to(failed);
    case 'cancelled':
    case 'completed':
      return to({ ...failed, open: undefined });
    default:
      return state.status satisfies never;
  }
}

function resume(order: PlanOrder, state: PlanState, nowMs: number): PlanEvent[] {
  const { pausedAtMs = nowMs, open, nextCycle } = state;
  const pause = { fromMs: pausedAtMs, toMs: nowMs };
  const isSkipping = dueOf(order.calendar, firstDueAfter(order.calendar, nextCycle, pausedAtMs - 1)) <= nowMs;
  const skips = isSkipping ? [...state.skips, pause] : state.skips;
  const resumed = skipPaused(order, { ...state, status: 'active', pausedAtMs: undefined, skips });
  if (open?.hasFailed) return to({ ...resumed, status: 'past_due' }, 'subscription.past_due');
  return finishOr(resumed, { order, published: [], nowMs });
}

/** The next cycle is one that fell due in no pause. Where it is owed from before a pause, the pause waits for the cycles after it. */
function skipPaused({ calendar }: PlanOrder, state: PlanState): PlanState {
  let { nextCycle } = state;
  const skips = state.skips.filter(({ fromMs, toMs }) => {
    const dueMs = dueOf(calendar, nextCycle);
    if (dueMs < fromMs) return true;
    if (dueMs <= toMs) nextCycle = firstDueAfter(calendar, nextCycle, toMs);
    return false;
  });
  return { ...state, nextCycle, skips };
}

/** The plan goes on, or has completed where its last cycle is over. */
function finishOr(
  state: PlanState,
  { order, published, nowMs }: { order: PlanOrder; published: PlanPublished[]; nowMs: number },
): PlanEvent[] {
  if (state.open !== undefined || order.totalCycles === undefined || state.nextCycle <= order.totalCycles)
    return to(state, ...published);
  const ended = { atMs: nowMs, reason: 'completed' as const };
  return to({ ...state, status: 'completed', ended }, ...published, 'subscription.completed');
}

/** A cycle that has failed waits for no card any more; one that is being charged is finished. */
function end(state: PlanState, reason: 'merchant' | 'declined' | 'not_authenticated', nowMs: number): PlanEvent[] {
  const open = state.open?.hasFailed ? undefined : state.open;
  return to({ ...state, status: 'cancelled', open, ended: { atMs: nowMs, reason } }, 'subscription.cancelled');
}

function to(state: PlanState, ...published: PlanPublished[]): PlanEvent[] {
  return [{ type: 'changed', state, published }];
}
