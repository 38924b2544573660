import type { HistoryRow } from '@gerbang/rails';
import { type Comparison, pairUp } from './pair-up.ts';
import { type OurPayment, type Pair, TOLERANCE_MS } from './payment.ts';

/**
 * Pairs two streams that come in the order of time, slice by slice, and holds only what may still find its partner: what is
 * within the tolerance of the last slice, and what has found none.
 */
export type Sweep = {
  add(payments: readonly OurPayment[], rows: readonly HistoryRow[]): void;
  /** All payments and rows before this moment have been added. Gives the pairs that nothing later can change. */
  settle(untilMs: number): Promise<Pair[]>;
  /** Everything has been added. What was held is given back as it is; the sweep is over. */
  finish(): Promise<Held>;
  size(): number;
};

/** `toJudge`: pairs of payments that are not done on our side. */
export type Held = {
  pairs: Pair[];
  toJudge: Pair[];
  payments: OurPayment[];
  rows: HistoryRow[];
  /** Corrections and canceled orders, which are no movements of their own. */
  corrections: HistoryRow[];
  canceled: HistoryRow[];
  /** What a payment or a row that is left over could change places with. */
  rivals: ReadonlyMap<OurPayment | HistoryRow, Pair>;
};

/** Same amount and direction, and booked in the time in which the rail may have booked it. */
const SAME_AMOUNT: Omit<Comparison, 'byKeys'> = {
  groupOfOurs: ({ direction, amountSen }) => `${direction}${amountSen}`,
  groupOfRow: ({ direction, amountSen }) => `${direction}${amountSen}`,
  fits: isInTime,
};

export function isInTime({ fromMs, toMs }: OurPayment, { atMs }: HistoryRow): boolean {
  return atMs >= fromMs - TOLERANCE_MS && atMs <= toMs + TOLERANCE_MS;
}

export function createSweep(): Sweep {
  let payments = new Set<OurPayment>();
  let rows = new Set<HistoryRow>();
  const corrections: HistoryRow[] = [];
  const canceled: HistoryRow[] = [];
  const toJudge: Pair[] = [];
  const rivals = new Map<OurPayment | HistoryRow, Pair>();

  const take = (pairs: readonly Pair[]) => {
    const kept: Pair[] = [];
    for (const pair of pairs) {
      payments.delete(pair.ours);
      rows.delete(pair.row);
      if (pair.ours.standing !== 'done') toJudge.push(pair);
      else kept.push(pair);
    }
    return kept;
  };
  const settleWhere = async (isSettled: (pair: Pair) => boolean, comparison: Comparison) => {
    const found = await pairUp([...payments], [...rows], comparison);
    const settled = new Set(found.pairs.filter(isSettled));
    const settledRows = new Set([...settled].map(({ row }) => row));
    for (const { loser, winner } of found.rivals) if (settledRows.has(winner.row)) rivals.set(loser, winner);
    return take([...settled]);
  };
  return {
    add(morePayments, moreRows) {
      for (const payment of morePayments) payments.add(payment);
      for (const row of moreRows) {
        if (row.status === 'booked') rows.add(row);
        else if (row.status === 'correction') corrections.push(row);
        else if (row.status === 'canceled') canceled.push(row);
      }
    },
    settle(untilMs) {
      const settledBeforeMs = untilMs - TOLERANCE_MS;
      const isSettled = ({ ours, row }: Pair) => ours.fromMs < settledBeforeMs && row.atMs < settledBeforeMs;
      return settleWhere(isSettled, { ...SAME_AMOUNT, byKeys: true });
    },
    async finish() {
      const pairs = await settleWhere(() => true, { ...SAME_AMOUNT, byKeys: false });
      const held = { pairs, toJudge, payments: [...payments], rows: [...rows], corrections, canceled, rivals };
      payments = new Set();
      rows = new Set();
      return held;
    },
    size: () => payments.size + rows.size + corrections.length + canceled.length + toJudge.length,
  };
}
