import type { HistoryRow, Period } from '@gerbang/rails';
import { DAY_MS, dayOf, isIn, periodOf } from './day.ts';
import type { DayOptions, Difference } from './day-result.ts';
import { type Compared, judge } from './match/judge.ts';
import { pairCanceled, pairCorrections, pairLate, pairOtherAmounts } from './match/late.ts';
import { type OurPayment, type Pair, TOLERANCE_MS } from './match/payment.ts';
import type { Held } from './match/sweep.ts';
import type { ReconciledRail } from './rail.ts';
import { readRows, rowKeyOf, slicesOf } from './rows.ts';

/** How far a payment and its row, or its correction, may be apart in time. */
const FAR_MS = 7 * DAY_MS;

type Ending = { period: Period; window: Period; held: Held; options: DayOptions };

/** What a day's end looks at: what is left over, and what was found for it. */
type State = { compared: Map<string, Compared>; rows: Set<HistoryRow>; corrections: Set<HistoryRow>; latePairs: Pair[] };

/**
 * Looks for what is left over: corrections, rows of other days, other amounts; then judges. Other days are read only where
 * something is left over.
 */
export async function conclude(rail: ReconciledRail, ending: Ending) {
  const { period, held, options } = ending;
  const state: State = {
    compared: new Map(),
    rows: new Set(held.rows),
    corrections: new Set(held.corrections),
    latePairs: [],
  };
  for (const ours of held.payments) compare(state, ours);
  for (const pair of held.toJudge) {
    compare(state, pair.ours).paid = pair.row;
    state.latePairs.push(pair);
  }
  await takeCorrections(
    state,
    [...state.compared.values()].map(({ ours }) => ours),
    false,
  );
  await lookBack(rail, ending, state);
  await lookAhead(rail, ending, state);
  const otherAmounts = await takeOtherAmounts(state);
  const unpaid = [...state.compared.values()].filter(({ ours, paid }) => ours.standing === 'done' && paid === undefined);
  for (const { ours, row } of await pairCanceled(
    unpaid.map(({ ours }) => ours),
    held.canceled,
  ))
    compare(state, ours).canceled = row;
  return { ...judgeAll(state, period, held, options.nowMs, otherAmounts), latePairs: state.latePairs };
}

function compare({ compared }: State, ours: OurPayment): Compared {
  const known = compared.get(ours.id) ?? { ours, paid: undefined, correction: undefined, canceled: undefined };
  compared.set(ours.id, known);
  return known;
}

async function takeCorrections(state: State, payments: readonly OurPayment[], byKeys: boolean): Promise<void> {
  const without = payments.filter(({ id }) => state.compared.get(id)?.correction === undefined);
  for (const { ours, row } of await pairCorrections(without, [...state.corrections], byKeys)) {
    compare(state, ours).correction = row;
    state.corrections.delete(row);
  }
}

/** Corrections of earlier payments, and rows of payments that the rail has booked on a later day than we sent them. */
async function lookBack(rail: ReconciledRail, { period, window, options }: Ending, state: State): Promise<void> {
  const amountsSen = [...new Set([...state.rows, ...state.corrections].map(({ amountSen }) => amountSen))];
  if (amountsSen.length === 0) return;
  const earlier: OurPayment[] = [];
  const back = { fromMs: period.fromMs - FAR_MS, toMs: window.toMs };
  for await (const { payment } of rail.payments(back, { amountsSen })) if (!state.compared.has(payment.id)) earlier.push(payment);
  await takeCorrections(state, earlier, true);
  const underWay = earlier.filter(({ fromMs, toMs }) => fromMs < window.fromMs && toMs >= window.fromMs - TOLERANCE_MS);
  const claimed = await options.claimed(underWay.map(({ id }) => id));
  for (const pair of await pairLate(underWay, [...state.rows])) {
    const rowKey = claimed.get(pair.ours.id);
    if (rowKey !== undefined && rowKey !== rowKeyOf(pair.row)) continue;
    compare(state, pair.ours).paid = pair.row;
    state.rows.delete(pair.row);
    state.latePairs.push(pair);
  }
}

/** Rows of later days, for payments whose outcome we have learnt later. */
async function lookAhead(rail: ReconciledRail, { window, options }: Ending, state: State): Promise<void> {
  const waiting = [...state.compared.values()].filter(isWaiting).filter(({ ours }) => ours.toMs > window.toMs - TOLERANCE_MS);
  if (waiting.length === 0) return;
  const lastMs = waiting.reduce((latest, { ours }) => Math.max(latest, ours.toMs), 0);
  const untilMs = Math.min(lastMs + TOLERANCE_MS, window.toMs + FAR_MS, options.nowMs);
  const amounts = new Set(waiting.map(({ ours }) => ours.amountSen));
  const later: HistoryRow[] = [];
  for (const slice of slicesOf({ fromMs: window.toMs, toMs: untilMs }, window.fromMs + TOLERANCE_MS, rail.history.sliceMs)) {
    for (const row of await readRows(rail, slice, options.signal)) if (amounts.has(row.amountSen)) later.push(row);
    await options.afterSlice();
  }
  const booked = later.filter(({ status }) => status === 'booked');
  const unpaid = waiting.filter(({ paid }) => paid === undefined).map(({ ours }) => ours);
  for (const pair of await pairLate(unpaid, booked)) {
    compare(state, pair.ours).paid = pair.row;
    state.latePairs.push(pair);
  }
  const corrections = later.filter(({ status }) => status === 'correction');
  const paid = waiting.filter(({ paid, correction }) => paid !== undefined && correction === undefined).map(({ ours }) => ours);
  for (const { ours, row } of await pairCorrections(paid, corrections, true)) compare(state, ours).correction = row;
}

/** Whether the rail is yet to show what we say of it. */
function isWaiting({ ours, paid, correction }: Compared): boolean {
  if (ours.standing === 'done' || ours.standing === 'open') return paid === undefined;
  return ours.standing === 'returned' && paid !== undefined && correction === undefined;
}

async function takeOtherAmounts(state: State): Promise<Map<string, HistoryRow>> {
  const unpaid = [...state.compared.values()].filter(
    ({ ours, paid, correction }) =>
      (ours.standing === 'done' || ours.standing === 'open') && paid === undefined && correction === undefined,
  );
  const found = new Map<string, HistoryRow>();
  for (const { ours, row } of await pairOtherAmounts(
    unpaid.map(({ ours }) => ours),
    [...state.rows],
  )) {
    found.set(ours.id, row);
    state.rows.delete(row);
  }
  return found;
}

function judgeAll(state: State, period: Period, { rivals }: Held, nowMs: number, otherAmounts: ReadonlyMap<string, HistoryRow>) {
  const differences: Difference[] = [];
  let [open, matched] = [0, 0];
  for (const compared of state.compared.values()) {
    const { ours, paid, correction, canceled } = compared;
    const otherAmount = otherAmounts.get(ours.id);
    const row = otherAmount ?? correction ?? paid ?? canceled;
    if (!isIn(period, ours.fromMs) && !isLeftToThisDay(compared, row, period)) continue;
    if (otherAmount !== undefined) {
      differences.push({ kind: 'amount', reason: 'the rail has moved another amount', ours, row });
      continue;
    }
    const verdict = judge(compared, nowMs);
    if (verdict === 'open') open++;
    else if (verdict === 'same') matched += paid === undefined ? 0 : 1;
    else differences.push({ ...withRival(verdict, rivals.get(ours)), ours, row });
  }
  for (const row of [...state.rows, ...state.corrections]) {
    if (!isIn(period, row.atMs)) continue;
    const reason = row.status === 'correction' ? 'the rail has taken back what we do not know' : 'we know nothing of it';
    const rival = rivals.get(row);
    differences.push({ ...withRival({ kind: 'missing-here', reason }, rival), ours: undefined, row });
  }
  return { differences, open, matched };
}

/**
 * A payment of another day is judged here where its own day does not see the row: that day reads later rows only of payments that
 * it waits for.
 */
function isLeftToThisDay({ ours }: Compared, row: HistoryRow | undefined, period: Period): boolean {
  if (row === undefined || !isIn(period, row.atMs) || ours.standing === 'open') return false;
  const own = periodOf(dayOf(ours.fromMs));
  return !isIn({ fromMs: own.fromMs - TOLERANCE_MS, toMs: own.toMs + TOLERANCE_MS }, row.atMs);
}

function withRival(verdict: Pick<Difference, 'kind' | 'reason'>, rival: Pair | undefined): Pick<Difference, 'kind' | 'reason'> {
  if (rival === undefined || (verdict.kind !== 'missing-at-rail' && verdict.kind !== 'missing-here')) return verdict;
  return { kind: 'ambiguous', reason: `${verdict.reason}; it could change places with ${rival.ours.reference || rival.ours.id}` };
}
