import { createHash } from 'node:crypto';
import type { HistoryRow, Period } from '@gerbang/rails';
import type { ReconciledRail } from './rail.ts';

/** The rows of this rail in a period; bounded by the history. */
export async function readRows(rail: ReconciledRail, period: Period, signal: AbortSignal): Promise<HistoryRow[]> {
  const rows: HistoryRow[] = [];
  for await (const row of rail.history.list(period, { signal })) if (isOfRail(rail, row)) rows.push(row);
  return rows;
}

/** Two rows that are alike have the same key: the rail does not tell them apart either. */
export function rowKeyOf({ atMs, amountSen, direction, status, remark, railTransactionId }: HistoryRow): string {
  const text = JSON.stringify([atMs, String(amountSen), direction, status, remark, railTransactionId]);
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

/** From one slice to the next, cut at whole slices of the day. */
export function* slicesOf({ fromMs, toMs }: Period, dayMs: number, sliceMs: number): Generator<Period> {
  for (let startMs = fromMs; startMs < toMs; ) {
    const nextMs = dayMs + (Math.floor((startMs - dayMs) / sliceMs) + 1) * sliceMs;
    const endMs = Math.min(nextMs, toMs);
    yield { fromMs: startMs, toMs: endMs };
    startMs = endMs;
  }
}

function isOfRail({ moves }: ReconciledRail, { direction, status }: HistoryRow): boolean {
  return (direction === moves) !== (status === 'correction');
}
