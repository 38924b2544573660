import { isRefusal, JAKARTA_OFFSET_MS } from '@gerbang/core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { beginCycle, type CycleCommand, type CycleState, decide as decideCycle } from '../cycle/cycle.ts';
import { type Calendar, dueOf, INTERVALS } from './calendar.ts';
import { beginPlan, decide, nextDueOf } from './plan.ts';
import { nextDueMs } from './schedule.ts';
import { hasEnded, type PlanCard, type PlanCommand, type PlanOrder, type PlanState } from './state.ts';

/** Plans and their cycles over random calendars, moves, outcomes of charges, and clocks that jump. */

const DAY_MS = 86_400_000;
/** Longer than it is, so that more falls due meanwhile. */
const RETRY_MS = 10 * DAY_MS;
const FIRST = Date.parse('2026-11-01T00:00:00Z');

const startAtMs = fc.oneof(
  // Around month ends and leap days, at any time of the day.
  fc
    .tuple(fc.integer({ min: 0, max: 60 }), fc.integer({ min: -3, max: 3 }), fc.integer({ min: 0, max: DAY_MS - 1 }))
    .map(([month, day, ms]) => Date.UTC(2026, month, day) + ms),
  fc.integer({ min: FIRST, max: FIRST + 5 * 366 * DAY_MS }),
);
/** Half of them every day: then cycles fall due while one is tried again. */
const daily = fc.record<Calendar>({ startAtMs, interval: fc.constant('day'), count: fc.constant(1) });
const anyCalendar = fc.record<Calendar>({
  startAtMs,
  interval: fc.constantFrom(...INTERVALS),
  count: fc.integer({ min: 1, max: 12 }),
});
const calendars = fc.oneof(daily, anyCalendar);

test('cycles are due one after another, at one time of the day, on the first one’s day or at the month’s end', () => {
  const day = (ms: number) => {
    const at = new Date(ms + JAKARTA_OFFSET_MS);
    const last = new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1, 0)).getUTCDate();
    return { month: at.getUTCFullYear() * 12 + at.getUTCMonth(), date: at.getUTCDate(), last, time: ms % DAY_MS };
  };
  fc.assert(
    fc.property(calendars, fc.integer({ min: 1, max: 120 }), (calendar, cycle) => {
      const [first, one, next] = [1, cycle, cycle + 1].map((n) => day(dueOf(calendar, n)));
      expect(dueOf(calendar, cycle + 1)).toBeGreaterThan(dueOf(calendar, cycle));
      expect(dueOf(calendar, 1)).toBe(calendar.startAtMs);
      if (calendar.interval !== 'month' || first === undefined || one === undefined || next === undefined) return;
      expect(next.month - one.month).toBe(calendar.count);
      expect(one.time).toBe(first.time);
      expect(one.date).toBe(first.date === first.last ? one.last : Math.min(first.date, one.last));
    }),
  );
});

/** `fires`: its timer follows at once; else the next action comes before it. */
type Action = { fires: boolean } & (
  | { type: 'later'; ms: number }
  | { type: 'pause' | 'resume' | 'cancel' | 'replace-card' }
  | { type: 'declines'; share: number }
);

const jump = fc.oneof(
  fc.integer({ min: 1, max: 3 * DAY_MS }),
  fc.integer({ min: 1, max: 3 * DAY_MS }),
  fc.integer({ min: DAY_MS, max: 60 * DAY_MS }),
  fc.constantFrom(365 * DAY_MS, 366 * DAY_MS),
);
const typed = fc.oneof(
  { weight: 6, arbitrary: jump.map((ms) => ({ type: 'later' as const, ms })) },
  { weight: 6, arbitrary: fc.constantFrom('pause', 'resume', 'replace-card').map((type) => ({ type })) },
  { weight: 3, arbitrary: fc.constantFrom(0, 0.5, 1).map((share) => ({ type: 'declines' as const, share })) },
  { weight: 1, arbitrary: fc.constant({ type: 'cancel' as const }) },
);
const actions = fc.array(
  fc.tuple(typed, fc.boolean()).map(([action, fires]): Action => ({ ...action, fires })),
  { minLength: 1, maxLength: 24, size: 'max' },
);

const card: PlanCard = {
  token: 't',
  maskedCard: '',
  brand: 'VISA',
  holderName: '',
  expiry: '',
  expiresAtMs: FIRST + 9_999 * DAY_MS,
  networkTransactionId: '',
  isExpiryAnnounced: true,
};

/** A plan with its cycles, taken on by the deciders as the service does it: its timer, and what merchants ask for. */
function newLife(order: PlanOrder, draw: () => number) {
  let nowMs = order.createdAtMs;
  let state: PlanState = beginPlan(order, card);
  let declines = 0;
  let payments = 0;
  const cycles = new Map<number, CycleState>();
  const begun: { cycle: number; atMs: number }[] = [];
  const pauses: { fromMs: number; toMs: number }[] = [];
  const charged: number[] = [];

  const apply = (command: PlanCommand): boolean => {
    const decided = decide(order, state, command, nowMs);
    if (isRefusal(decided)) return false;
    const [event] = decided;
    if (event === undefined) return false;
    const before = state;
    state = event.state;
    if (hasEnded(before)) expect(state.status).toBe(before.status);
    if (before.open !== undefined && state.open !== undefined) expect(state.open.cycle).toBe(before.open.cycle);
    if (before.status !== 'paused' && state.status === 'paused') pauses.push({ fromMs: nowMs, toMs: Number.POSITIVE_INFINITY });
    const pause = pauses.at(-1);
    if (before.status === 'paused' && state.status !== 'paused' && pause !== undefined) pause.toMs = nowMs;
    return true;
  };
  const change = (number: number, cycle: CycleState, command: CycleCommand): CycleState => {
    const next = decideCycle(cycle, command, nowMs)[0]?.state ?? cycle;
    cycles.set(number, next);
    return next;
  };
  const open = (number: number): CycleState => {
    const known = cycles.get(number);
    if (known !== undefined) return known;
    begun.push({ cycle: number, atMs: nowMs });
    const initiatedBy = state.status === 'pending' ? ('customer' as const) : ('merchant' as const);
    return beginCycle({ paymentId: `p-${payments++}`, initiatedBy, startedAtMs: nowMs });
  };
  /** One step; false where there is nothing to do now. */
  const step = (): boolean => {
    if (state.open === undefined || state.open.hasFailed) return apply({ type: 'begin-cycle' });
    const number = state.open.cycle;
    const cycle = open(number);
    cycles.set(number, cycle);
    const { paymentId } = cycle.attempt;
    switch (cycle.status) {
      case 'processing': {
        const failure = { code: '51', reason: '' };
        const isPaid = draw() >= declines;
        if (isPaid) charged.push(number);
        const declined = { type: 'declined', paymentId, failure, retryMs: RETRY_MS, isLast: hasEnded(state) } as const;
        change(number, cycle, isPaid ? { type: 'paid', paymentId } : declined);
        return true;
      }
      case 'retrying':
        if (!hasEnded(state) && nowMs < cycle.retryAtMs) return false;
        change(number, cycle, hasEnded(state) ? { type: 'abandon' } : { type: 'retry', paymentId: `p-${payments++}` });
        return true;
      case 'failed':
        return apply({ type: 'cycle-failed', cycle: number, isDeclined: true });
      case 'success':
        return apply({ type: 'cycle-paid', cycle: number, reference: { networkTransactionId: 'n', maskedCard: '' } });
      default:
        return cycle satisfies never;
    }
  };
  const rest = () => {
    while (step());
  };
  const act = (action: Action) => {
    const { type } = action;
    if (type === 'later') nowMs += action.ms;
    else if (type === 'declines') declines = action.share;
    else if (type === 'replace-card') {
      const failed = state.open?.hasFailed ? cycles.get(state.open.cycle) : undefined;
      if (failed !== undefined && state.open !== undefined && !hasEnded(state))
        change(state.open.cycle, failed, { type: 'charge-again', paymentId: `p-${payments++}` });
      apply({ type, card });
    } else apply({ type });
    if (action.fires) rest();
  };
  return { act, rest, begun, charged, cycles, pauses, state: () => state, nowMs: () => nowMs };
}

test('each cycle is charged once, in order, when it is due, unless it fell due in a pause; never are two open', () => {
  const orders = fc.record({
    calendar: calendars,
    total: fc.option(fc.integer({ min: 1, max: 30 })),
    waitMs: jump,
    isLater: fc.boolean(),
  });
  let completed = 0;
  let skipped = 0;
  fc.assert(
    fc.property(orders, actions, fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })), (given, moves, draws) => {
      const { calendar, total, waitMs, isLater } = given;
      const order: PlanOrder = {
        id: '',
        merchantId: '',
        accountId: '',
        name: '',
        amountSen: 1n,
        calendar,
        totalCycles: total ?? undefined,
        customer: { name: '', email: '', phone: '' },
        redirectUrl: '',
        createdAtMs: calendar.startAtMs - (isLater ? waitMs : 0),
      };
      const life = newLife(order, () => draws.next().value);
      life.rest();
      for (const move of moves) {
        life.act(move);
        checkLife(order, life);
        if (move.fires) checkRest(order, life);
      }
      if (life.state().status === 'completed') completed++;
      skipped += life.state().nextCycle - 1 - life.begun.length;
    }),
    { numRuns: 300 },
  );
  // It has really been there.
  expect(completed).toBeGreaterThan(20);
  expect(skipped).toBeGreaterThan(20);
});

function checkLife(order: PlanOrder, life: ReturnType<typeof newLife>): void {
  const state = life.state();
  const numbers = life.begun.map(({ cycle }) => cycle);
  expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => a - b));
  expect(life.charged).toEqual([...new Set(life.charged)].toSorted((a, b) => a - b));
  expect(state.paidCycles).toBe(life.charged.length);
  for (const { cycle, atMs } of life.begun) expect(atMs).toBeGreaterThanOrEqual(dueOf(order.calendar, cycle));
  expect(Math.max(0, ...numbers)).toBeLessThanOrEqual(order.totalCycles ?? Number.POSITIVE_INFINITY);

  // What fell due in a pause was not begun, and everything else was.
  const last = Math.min(state.nextCycle - 1, order.totalCycles ?? Number.POSITIVE_INFINITY);
  for (let cycle = 1; cycle <= last; cycle++) {
    const dueMs = dueOf(order.calendar, cycle);
    // In the very moment of the pause it may have been begun just before.
    if (life.pauses.some(({ fromMs }) => fromMs === dueMs)) continue;
    const fellDueInPause = life.pauses.some(({ fromMs, toMs }) => dueMs >= fromMs && dueMs <= toMs);
    expect(numbers.includes(cycle), `cycle ${cycle}`).toBe(!fellDueInPause);
  }
}

function checkRest(order: PlanOrder, life: ReturnType<typeof newLife>): void {
  const state = life.state();
  // Nothing is owed, and the timer is set for what comes next.
  const dueMs = nextDueOf(order, state);
  if (state.status === 'active' && dueMs !== undefined) expect(dueMs).toBeGreaterThan(life.nowMs());
  if (state.status === 'active' && dueMs !== undefined) expect(nextDueMs(order, state, life.nowMs())).toBe(dueMs);
  if (state.status === 'completed') expect(state.nextCycle).toBeGreaterThan(order.totalCycles ?? 0);
  if (hasEnded(state)) expect(state.open).toBe(undefined);
}
