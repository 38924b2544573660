import { create, type MessageInitShape } from '@bufbuild/protobuf';
import {
  type Difference,
  DifferenceSchema,
  type Reconciliation as ReconciliationMessage,
  ReconciliationSchema,
} from '@gerbang/proto/gerbang/reconciliation/v1/reconciliation';
import type { DifferenceDocument } from './document.ts';
import type { Reconciliation } from './reconciliation.ts';

/** A day as the contract between services shows it. */
export function toReconciliation(reconciliation: Reconciliation): ReconciliationMessage {
  const { rail, day, status, run, requests, finishedRequests, result, startedAtMs, finishedAtMs, dueAtMs } = reconciliation;
  return create(ReconciliationSchema, {
    rail,
    day,
    status,
    runs: run,
    requests,
    finishedRequests,
    by: result?.by ?? reconciliation.by,
    problem: reconciliation.problem,
    ...(startedAtMs !== undefined && { startedAtMs: BigInt(startedAtMs) }),
    ...(finishedAtMs !== undefined && { finishedAtMs: BigInt(finishedAtMs) }),
    ...(dueAtMs !== undefined && { dueAtMs: BigInt(dueAtMs) }),
    ...(result !== undefined && {
      oursCount: BigInt(result.ours.count),
      oursSen: result.ours.sumSen,
      railCount: BigInt(result.rail.count),
      railSen: result.rail.sumSen,
      matched: BigInt(result.matched),
      open: BigInt(result.open),
      differences: BigInt(result.differences),
    }),
  });
}

export function toDifference(document: DifferenceDocument): Difference {
  const { _id, rail, day, kind, reason, state, explained_at: explainedAt } = document;
  return create(DifferenceSchema, {
    id: _id,
    rail,
    day,
    kind,
    reason,
    state,
    ...sidesOf(document),
    foundAtMs: BigInt(document.found_at.getTime()),
    ...(explainedAt !== undefined && { explainedAtMs: BigInt(explainedAt.getTime()) }),
    explainedBy: document.explained_by ?? '',
    note: document.note ?? '',
  });
}

function sidesOf({ payment_id, ours, row }: DifferenceDocument): Pick<MessageInitShape<typeof DifferenceSchema>, 'ours' | 'row'> {
  return {
    ...(ours !== undefined && {
      ours: {
        paymentId: payment_id,
        merchantId: ours.merchant_id,
        accountId: ours.account_id,
        reference: ours.reference,
        railReference: ours.rail_reference,
        direction: ours.direction,
        amountSen: ours.amount_sen,
        atMs: BigInt(ours.at.getTime()),
        status: ours.status,
      },
    }),
    ...(row !== undefined && {
      row: {
        railTransactionId: row.rail_transaction_id,
        direction: row.direction,
        amountSen: row.amount_sen,
        atMs: BigInt(row.at.getTime()),
        status: row.status,
        remark: row.remark,
      },
    }),
  };
}
