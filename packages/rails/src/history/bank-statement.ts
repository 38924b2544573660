import { jakartaIso } from '@gerbang/core';
import { z } from 'zod';
import { snapAmount } from '../snap-call.ts';
import { type AskPage, HistoryError, type HistoryRow, type Period } from './history.ts';

/** BCA tells the most in one answer: 9,000 rows. */
const PAGE_ROWS_MAX = 10_000;
const SECOND_MS = 1_000;

const moment = z.iso.datetime({ offset: true }).transform((text) => Date.parse(text));
const row = z.object({
  amount: snapAmount,
  transactionDate: moment,
  remark: z.string().max(256),
  transactionId: z.string().max(35).default(''),
  type: z.enum(['CREDIT', 'DEBIT']),
  /** SNAP writes CORECTION; banks may write it properly. */
  transactionDetailStatus: z.enum(['SUCCESS', 'ERROR CORECTION', 'ERROR CORRECTION']).default('SUCCESS'),
});
const answer = z.object({
  hasMore: z.enum(['Y', 'N']).default('N'),
  lastRecordDateTime: moment.optional(),
  detailData: z.array(row).max(PAGE_ROWS_MAX).default([]),
});

/**
 * SNAP 14, as banks tell it: newest first, continued from `lastRecordDateTime` while `hasMore`. Times are whole seconds, so the
 * rows of the last second may come again with the next answer: those that were there before are left out.
 */
export async function* statementPages(
  ask: AskPage,
  { account }: { account: string },
  { fromMs, toMs }: Period,
): AsyncGenerator<HistoryRow[]> {
  let untilMs = toMs - SECOND_MS;
  let seen = new Map<string, number>();
  for (;;) {
    const body = await ask({ accountNo: account, fromDateTime: jakartaIso(fromMs), toDateTime: jakartaIso(untilMs) });
    const page = answer.safeParse(body);
    if (!page.success) throw new HistoryError('the bank’s statement cannot be read');
    const { detailData, hasMore, lastRecordDateTime } = page.data;
    const rows = withoutSeen(detailData.map(toRow), seen);
    yield rows;
    if (hasMore === 'N') return;
    if (lastRecordDateTime === undefined || lastRecordDateTime > untilMs || rows.length === 0)
      throw new HistoryError('the bank’s statement has more, but does not go on');
    const isSameSecond = lastRecordDateTime === untilMs;
    seen = countOf(rows, (known) => secondOf(known) === secondOf({ atMs: lastRecordDateTime }), isSameSecond ? seen : new Map());
    untilMs = lastRecordDateTime;
  }
}

function withoutSeen(rows: readonly HistoryRow[], seen: ReadonlyMap<string, number>): HistoryRow[] {
  const left = new Map(seen);
  return rows.filter((one) => {
    const count = left.get(keyOf(one)) ?? 0;
    if (count > 0) left.set(keyOf(one), count - 1);
    return count === 0;
  });
}

/** How often each row has come, of those that may come again. */
function countOf(
  rows: readonly HistoryRow[],
  mayComeAgain: (row: HistoryRow) => boolean,
  before: ReadonlyMap<string, number>,
): Map<string, number> {
  const counts = new Map(before);
  for (const one of rows) if (mayComeAgain(one)) counts.set(keyOf(one), (counts.get(keyOf(one)) ?? 0) + 1);
  return counts;
}

function keyOf({ atMs, amountSen, direction, status, remark, railTransactionId }: HistoryRow): string {
  return JSON.stringify([atMs, String(amountSen), direction, status, remark, railTransactionId]);
}

function secondOf({ atMs }: Pick<HistoryRow, 'atMs'>): number {
  return Math.floor(atMs / SECOND_MS);
}

function toRow({
  amount,
  transactionDate,
  remark,
  transactionId,
  type,
  transactionDetailStatus,
}: z.output<typeof row>): HistoryRow {
  return {
    atMs: transactionDate,
    amountSen: amount,
    direction: type === 'CREDIT' ? 'in' : 'out',
    status: transactionDetailStatus === 'SUCCESS' ? 'booked' : 'correction',
    remark,
    railTransactionId: transactionId,
  };
}
