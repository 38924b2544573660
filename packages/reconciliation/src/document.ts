import type { HistoryRow } from '@gerbang/rails';
import type { Due } from '@gerbang/store';
import type { Day } from './day.ts';
import type { Difference } from './day-result.ts';
import type { DifferenceKind } from './match/judge.ts';
import type { OurPayment } from './match/payment.ts';
import type { Reconciliation, Summary } from './reconciliation.ts';
import { rowKeyOf } from './rows.ts';

export const SCHEMA = 1;

/** A day of a rail; its `_id` is "<rail>:<day>". */
export type ReconciliationDocument = Due & {
  _id: string;
  schema: number;
  rail: string;
  day: string;
  status: Reconciliation['status'];
  run: number;
  requests: number;
  finished_requests: number;
  by: string;
  attempts: number;
  started_at?: Date;
  finished_at?: Date;
  problem?: string;
  result?: SummaryDocument;
};

type SummaryDocument = {
  ours_count: number;
  ours_sen: bigint;
  rail_count: number;
  rail_sen: bigint;
  matched: number;
  open: number;
  differences: number;
  compared_at: Date;
  by: string;
};

/** A difference; its `_id` is "<rail>:<day>:<kind>:<payment or row>", so that every run that finds it has the same. */
export type DifferenceDocument = {
  _id: string;
  schema: number;
  rail: string;
  day: string;
  kind: DifferenceKind;
  reason: string;
  state: 'open' | 'explained';
  /** The run that has found it last. */
  run: number;
  found_at: Date;
  /** Empty where the service has no such payment. */
  payment_id: string;
  ours?: OurSideDocument;
  row?: RailSideDocument;
  explained_at?: Date;
  explained_by?: string;
  note?: string;
};

type OurSideDocument = {
  merchant_id: string;
  account_id: string;
  reference: string;
  rail_reference: string;
  direction: OurPayment['direction'];
  amount_sen: bigint;
  at: Date;
  status: string;
};

type RailSideDocument = {
  rail_transaction_id: string;
  direction: HistoryRow['direction'];
  amount_sen: bigint;
  at: Date;
  status: HistoryRow['status'];
  remark: string;
};

export function reconciliationId(rail: string, day: Day): string {
  return `${rail}:${day}`;
}

export function newReconciliation(rail: string, day: Day, due: { atMs: number; by: string }): ReconciliationDocument {
  return {
    _id: reconciliationId(rail, day),
    schema: SCHEMA,
    rail,
    day,
    status: 'waiting',
    run: 0,
    requests: 1,
    finished_requests: 0,
    by: due.by,
    attempts: 0,
    due_at: new Date(due.atMs),
  };
}

export function fromReconciliation(document: ReconciliationDocument): Reconciliation {
  const { rail, day, status, run, requests, by, attempts, result } = document;
  return {
    rail,
    day,
    status,
    run,
    requests,
    finishedRequests: document.finished_requests,
    by,
    attempts,
    startedAtMs: document.started_at?.getTime(),
    finishedAtMs: document.finished_at?.getTime(),
    dueAtMs: document.due_at?.getTime(),
    problem: document.problem ?? '',
    result: result && fromSummary(result),
  };
}

export function toSummary({ ours, rail, matched, open, differences, comparedAtMs, by }: Summary): SummaryDocument {
  return {
    ours_count: ours.count,
    ours_sen: ours.sumSen,
    rail_count: rail.count,
    rail_sen: rail.sumSen,
    matched,
    open,
    differences,
    compared_at: new Date(comparedAtMs),
    by,
  };
}

function fromSummary(document: SummaryDocument): Summary {
  return {
    ours: { count: document.ours_count, sumSen: BigInt(document.ours_sen) },
    rail: { count: document.rail_count, sumSen: BigInt(document.rail_sen) },
    matched: document.matched,
    open: document.open,
    differences: document.differences,
    comparedAtMs: document.compared_at.getTime(),
    by: document.by,
  };
}

/** The differences of a run as they are stored. Rows that are alike are counted, so that each has an id of its own. */
export function toDifferences(
  differences: readonly Difference[],
  of: { rail: string; day: Day; run: number; nowMs: number },
): DifferenceDocument[] {
  const seen = new Map<string, number>();
  return differences.map(({ kind, reason, ours, row }) => {
    const key = ours?.id ?? (row === undefined ? '' : rowKeyOf(row));
    const id = `${reconciliationId(of.rail, of.day)}:${kind}:${key}`;
    const count = (seen.get(id) ?? 0) + 1;
    seen.set(id, count);
    return {
      _id: count === 1 ? id : `${id}:${count}`,
      schema: SCHEMA,
      rail: of.rail,
      day: of.day,
      kind,
      reason,
      state: 'open',
      run: of.run,
      found_at: new Date(of.nowMs),
      payment_id: ours?.id ?? '',
      ...(ours !== undefined && { ours: toOurSide(ours) }),
      ...(row !== undefined && { row: toRailSide(row) }),
    };
  });
}

function toOurSide(ours: OurPayment): OurSideDocument {
  return {
    merchant_id: ours.merchantId,
    account_id: ours.accountId,
    reference: ours.reference,
    rail_reference: ours.railReference,
    direction: ours.direction,
    amount_sen: ours.amountSen,
    at: new Date(ours.fromMs),
    status: ours.status,
  };
}

function toRailSide(row: HistoryRow): RailSideDocument {
  return {
    rail_transaction_id: row.railTransactionId,
    direction: row.direction,
    amount_sen: row.amountSen,
    at: new Date(row.atMs),
    status: row.status,
    remark: row.remark,
  };
}
