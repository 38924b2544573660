import { jakartaIso, toMoney } from '@gerbang/core';
import { z } from 'zod';
import { DO_NOT_HONOR, done, snapTimeMs, takeExternalId } from '../money-in/snap-fields.ts';
import type { SnapAnswer } from '../snap/snap.ts';
import { transaction } from '../snap/transaction.ts';
import { isHistory, railOfHistory, readHistory } from './read.ts';
import type { Row } from './row.ts';

export const TRANSACTION_HISTORY = '12';
export const BANK_STATEMENT = '14';

/** SNAP's largest page of a history, and this bank's of a statement. */
const PAGE_SIZE_MAX = 50;
const STATEMENT_ROWS = 500;
const SECOND_MS = 1_000;

/** The history of which an account is; SNAP's own field for it is that of 14, so 12 takes it as additional information. */
const account = z.string().refine(isHistory, 'is no account of this bank');

const historyBody = z.object({
  fromDateTime: snapTimeMs,
  toDateTime: snapTimeMs,
  pageSize: z.int().min(1).max(PAGE_SIZE_MAX).default(10),
  pageNumber: z.int().min(0).max(99_999).default(0),
  additionalInfo: z.object({ accountNo: account }),
});
const statementBody = z.object({ accountNo: account, fromDateTime: snapTimeMs, toDateTime: snapTimeMs });

/** POST /v1.0/transaction-history-list: newest first, page by page, without any reference of the partner's (SNAP 12). */
export const transactionHistory = transaction(
  TRANSACTION_HISTORY,
  historyBody,
  ({ additionalInfo }) => railOfHistory(additionalInfo.accountNo),
  async (context, { body, externalKey, forced }): Promise<SnapAnswer | 'silence'> => {
    takeExternalId(context, externalKey);
    if (forced === 'timeout') return 'silence';
    if (forced === 'failed') return DO_NOT_HONOR;
    const rows = await readHistory(context, body.additionalInfo.accountNo, wholeSeconds(body));
    const first = body.pageNumber * body.pageSize;
    return done({ detailData: rows.slice(first, first + body.pageSize).map(toHistoryRow) });
  },
);

/** POST /v1.0/bank-statement: newest first; where there is more, it goes on from the last record's second (SNAP 14). */
export const bankStatement = transaction(
  BANK_STATEMENT,
  statementBody,
  ({ accountNo }) => railOfHistory(accountNo),
  async (context, { body, externalKey, forced }): Promise<SnapAnswer | 'silence'> => {
    takeExternalId(context, externalKey);
    if (forced === 'timeout') return 'silence';
    if (forced === 'failed') return DO_NOT_HONOR;
    const rows = (await readHistory(context, body.accountNo, wholeSeconds(body))).filter(isBooked);
    const page = withWholeSecond(rows);
    const last = page.at(-1);
    return done({
      hasMore: page.length < rows.length ? 'Y' : 'N',
      ...(last !== undefined && { lastRecordDateTime: jakartaIso(last.atMs) }),
      detailData: page.map(toStatementRow),
    });
  },
);

/** Times are told and asked for in whole seconds. */
function wholeSeconds({ fromDateTime, toDateTime }: { fromDateTime: number; toDateTime: number }) {
  return { fromMs: fromDateTime, toMs: toDateTime + SECOND_MS };
}

/** A page, with all that is of the same second as its last row, so that the next one goes on. */
function withWholeSecond(rows: readonly Row[]): readonly Row[] {
  const last = rows[STATEMENT_ROWS - 1];
  if (last === undefined) return rows;
  const secondOf = ({ atMs }: Row) => Math.floor(atMs / SECOND_MS);
  const next = rows.findIndex((row, index) => index >= STATEMENT_ROWS && secondOf(row) !== secondOf(last));
  return next < 0 ? rows : rows.slice(0, next);
}

/** A bank's statement has no orders that moved nothing. */
function isBooked({ status }: Row): boolean {
  return status === 'booked' || status === 'correction';
}

function toStatementRow(row: Row): object {
  return {
    amount: toMoney(row.amountSen),
    transactionDate: jakartaIso(row.atMs),
    remark: row.remark,
    transactionId: row.id,
    type: row.direction === 'in' ? 'CREDIT' : 'DEBIT',
    // SNAP spells it so.
    transactionDetailStatus: row.status === 'correction' ? 'ERROR CORECTION' : 'SUCCESS',
  };
}

const STATUS = { booked: 'SUCCESS', correction: 'SUCCESS', open: 'INIT', canceled: 'CANCELLED' } as const;

function toHistoryRow(row: Row): object {
  const type = row.direction === 'in' ? 'PAYMENT' : 'DISBURSMENT';
  return {
    dateTime: jakartaIso(row.atMs),
    amount: toMoney(row.amountSen),
    remark: row.remark,
    status: STATUS[row.status],
    type: row.status === 'correction' ? 'REFUND' : type,
    additionalInfo: { transactionId: row.id },
  };
}
