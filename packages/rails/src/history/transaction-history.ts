import { jakartaIso } from '@gerbang/core';
import { z } from 'zod';
import { snapAmount } from '../snap-call.ts';
import { type AskPage, HistoryError, type HistoryRow, type Period } from './history.ts';

/** SNAP's largest page. */
const PAGE_SIZE = 50;
const SECOND_MS = 1_000;

type Direction = HistoryRow['direction'];

const row = z.object({
  dateTime: z.iso.datetime({ offset: true }),
  amount: snapAmount,
  remark: z.string().max(256).default(''),
  status: z.enum(['INIT', 'SUCCESS', 'CLOSED', 'CANCELLED']),
  type: z.string().max(32),
  additionalInfo: z.object({ transactionId: z.string().max(64).default('') }).optional(),
});
const answer = z.object({ detailData: z.array(row).max(PAGE_SIZE) });

/**
 * SNAP 12, as wallets and acquirers tell it: newest first, pages of at most 50, counted from 0; a page that is not full is the
 * last. Both bounds are sent, for their defaults look swapped. The account goes as additional information, since SNAP has no field
 * for it.
 */
export async function* historyPages(
  ask: AskPage,
  { account, moves }: { account: string; moves: Direction },
  { fromMs, toMs }: Period,
): AsyncGenerator<HistoryRow[]> {
  for (let pageNumber = 0; ; pageNumber++) {
    const body = await ask({
      fromDateTime: jakartaIso(fromMs),
      toDateTime: jakartaIso(toMs - SECOND_MS),
      pageSize: PAGE_SIZE,
      pageNumber,
      additionalInfo: { accountNo: account },
    });
    const page = answer.safeParse(body);
    if (!page.success) throw new HistoryError('the rail’s history cannot be read');
    yield page.data.detailData.map((one) => toRow(one, moves));
    if (page.data.detailData.length < PAGE_SIZE) return;
  }
}

/**
 * SNAP's types don't tell the direction: PAYMENT is money out for who pays and money in for who is paid. So it is that of what the
 * rail does for us, beyond the types that say otherwise. A type that we do not know is a movement as well: operators see it.
 */
function toRow({ dateTime, amount, remark, status, type, additionalInfo }: z.output<typeof row>, moves: Direction): HistoryRow {
  return {
    atMs: Date.parse(dateTime),
    amountSen: amount,
    direction: directionOf(type, moves),
    status: statusOf(status, type === 'REFUND'),
    remark,
    railTransactionId: additionalInfo?.transactionId ?? '',
  };
}

function directionOf(type: string, moves: Direction): Direction {
  switch (type) {
    case 'SEND_MONEY':
      return 'out';
    case 'RECEIVE_MONEY':
      return 'in';
    case 'REFUND':
      return moves === 'in' ? 'out' : 'in';
    default:
      return moves;
  }
}

function statusOf(status: z.output<typeof row>['status'], isCorrection: boolean): HistoryRow['status'] {
  switch (status) {
    case 'SUCCESS':
      return isCorrection ? 'correction' : 'booked';
    case 'INIT':
      return 'open';
    case 'CLOSED':
    case 'CANCELLED':
      return 'canceled';
    default:
      return status satisfies never;
  }
}
