import { HistoryError, type HistoryRow, type Period } from '@gerbang/rails';
import { conclude } from './conclude.ts';
import { type Day, isIn, periodOf } from './day.ts';
import type { DayOptions, DayResult, Totals } from './day-result.ts';
import { type OurPayment, type Pair, TOLERANCE_MS } from './match/payment.ts';
import { createSweep, type Sweep } from './match/sweep.ts';
import type { ReadPayment, ReconciledRail } from './rail.ts';
import { readRows, rowKeyOf, slicesOf } from './rows.ts';

/** Held at once, payments and rows: some hundred bytes each. A day with so many of them without a partner is another account's. */
const HELD_MAX = 500_000;
/** A day with so few payments of ours is read at once: its rail is asked once, and not each hour. */
const QUIET_DAY_MAX = 1_000;

/**
 * Compares a day of a rail's books with our payments: slice by slice, so that a day of a million rows fits into memory. Throws
 * HistoryError where the rail's books cannot be read, or share too little with ours.
 */
export async function compareDay(rail: ReconciledRail, day: Day, options: DayOptions): Promise<DayResult> {
  const period = periodOf(day);
  const window = { fromMs: period.fromMs - TOLERANCE_MS, toMs: period.toMs + TOLERANCE_MS };
  const counts = createCounts(period);
  const sweep = createSweep();
  const pairs: Pair[] = [];
  const reading = createReader(rail.payments(window));
  try {
    const isQuiet = await reading.hasAtMost(QUIET_DAY_MAX);
    const slices = isQuiet ? [window] : slicesOf(window, period.fromMs, rail.history.sliceMs);
    for (const slice of slices) {
      const payments = await reading.before(slice.toMs);
      const rows = await readRows(rail, slice, options.signal);
      counts.add(payments, rows);
      sweep.add(payments, rows);
      counts.pair(await sweep.settle(slice.toMs), pairs);
      checkBound(sweep);
      await options.afterSlice();
    }
  } finally {
    await reading.close();
  }
  const held = await sweep.finish();
  counts.pair(held.pairs, pairs);
  const concluded = await conclude(rail, { period, window, held, options });
  return {
    ...counts.totals(),
    matched: counts.matched() + concluded.matched,
    open: concluded.open,
    differences: concluded.differences,
    claims: [...pairs, ...concluded.latePairs].map(({ ours, row }) => ({ paymentId: ours.id, rowKey: rowKeyOf(row) })),
  };
}

/** Reads the stream as far as it is needed. */
function createReader(payments: AsyncIterable<ReadPayment>) {
  const iterator = payments[Symbol.asyncIterator]();
  const ahead: ReadPayment[] = [];
  let isOver = false;
  const readOn = async () => {
    const read = await iterator.next();
    if (read.done === true) isOver = true;
    else ahead.push(read.value);
  };
  return {
    /** Whether there are no more than so many. */
    async hasAtMost(count: number): Promise<boolean> {
      while (!isOver && ahead.length <= count) await readOn();
      return isOver;
    },
    /** All that begin before the moment and have not been given yet; some that begin later may be among them. */
    async before(toMs: number): Promise<OurPayment[]> {
      const found: OurPayment[] = [];
      for (;;) {
        if (ahead.length === 0 && !isOver) await readOn();
        const [next] = ahead;
        if (next === undefined || next.readToMs >= toMs) return found;
        found.push(next.payment);
        ahead.shift();
      }
    },
    close: async () => {
      await iterator.return?.();
    },
  };
}

function checkBound(sweep: Sweep): void {
  if (sweep.size() > HELD_MAX)
    throw new HistoryError(`more than ${HELD_MAX} payments and rows have no partner: is it the history of our account?`);
}

/** Counts both sides of the day itself, without what is around it. */
function createCounts(period: Period) {
  const ours: Totals = { count: 0, sumSen: 0n };
  const rail: Totals = { count: 0, sumSen: 0n };
  let matched = 0;
  const add = (totals: Totals, amountSen: bigint) => {
    totals.count++;
    totals.sumSen += amountSen;
  };
  return {
    add(payments: readonly OurPayment[], rows: readonly HistoryRow[]) {
      for (const { fromMs, standing, amountSen } of payments)
        if (isIn(period, fromMs) && (standing === 'done' || standing === 'returned')) add(ours, amountSen);
      for (const { atMs, status, amountSen } of rows) if (isIn(period, atMs) && status === 'booked') add(rail, amountSen);
    },
    /** Counts pairs, and keeps those that another day might pair again. */
    pair(found: readonly Pair[], kept: Pair[]) {
      for (const pair of found) {
        if (!isIn(period, pair.ours.fromMs)) continue;
        matched++;
        if (pair.ours.toMs >= period.toMs - TOLERANCE_MS) kept.push(pair);
      }
    },
    matched: () => matched,
    totals: () => ({ ours, rail }),
  };
}
