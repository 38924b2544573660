import type { HistoryRow } from '@gerbang/rails';
import { pairUp } from './pair-up.ts';
import { type OurPayment, type Pair, TOLERANCE_MS } from './payment.ts';
import { isInTime } from './sweep.ts';

/** Corrections move the other way, any time later. `byKeys`: only those whose remark names the payment. */
export async function pairCorrections(
  payments: readonly OurPayment[],
  corrections: readonly HistoryRow[],
  byKeys: boolean,
): Promise<Pair[]> {
  const { pairs } = await pairUp(payments, corrections, {
    groupOfOurs: ({ direction, amountSen }) => `${direction}${amountSen}`,
    groupOfRow: ({ direction, amountSen }) => `${direction === 'in' ? 'out' : 'in'}${amountSen}`,
    fits: ({ fromMs }, { atMs }) => atMs >= fromMs - TOLERANCE_MS,
    byKeys,
  });
  return pairs;
}

/** Rows of another day, by what names the payment only. */
export async function pairLate(payments: readonly OurPayment[], rows: readonly HistoryRow[]): Promise<Pair[]> {
  const { pairs } = await pairUp(payments, rows, {
    groupOfOurs: ({ direction, amountSen }) => `${direction}${amountSen}`,
    groupOfRow: ({ direction, amountSen }) => `${direction}${amountSen}`,
    fits: isInTime,
    byKeys: true,
  });
  return pairs;
}

/** Orders that the rail says were canceled. */
export const pairCanceled = pairLate;

/** The same payment with another amount: what the remark names, where neither has another such partner. */
export async function pairOtherAmounts(payments: readonly OurPayment[], rows: readonly HistoryRow[]): Promise<Pair[]> {
  const found = await pairUp(payments, rows, {
    groupOfOurs: ({ direction }) => direction,
    groupOfRow: ({ direction }) => direction,
    fits: isInTime,
    byKeys: true,
  });
  const contested = new Set(found.rivals.map(({ winner }) => winner.row));
  return found.pairs.filter(({ row }) => !contested.has(row));
}
