import { isRefusal, RefusalError, refuse, refuseField } from '@gerbang/core';
import type { ResolveRequest } from '@gerbang/proto/gerbang/direct_debit/v1/direct_debit';
import type { OperatorCall } from '@gerbang/service/operators';
import { isUuid } from '../../binding/own.ts';
import { changeCharge } from '../../charge/change.ts';
import { decideCharge } from '../../charge/charge.ts';
import type { StoredCharge } from '../../charge/document.ts';
import { feesFor } from '../../charge/fees.ts';
import { workOn } from '../../charge/place.ts';
import { openOutcome } from '../../charge/resolution.ts';
import type { OutcomeCommand, Resolution } from '../../charge/state.ts';
import type { Context } from '../../context.ts';
import { watchOutcome } from '../../discrepancy/report.ts';

const RAIL_REFERENCE = 'resolved by operators';
const FAILURE = { code: 'OPERATOR', reason: 'Resolved by operators', send: undefined };

/**
 * Two people decide the outcome of a charge or a refund that the bank has not told for a day: the first call proposes, the same
 * call by another operator approves. A proposal with another outcome replaces the first; it ends after
 * a day, and with its proposer's right to make it. Refusals: validation (outcome),
 * transaction_not_found, bad_request, unavailable.
 */
export async function resolve(context: Context, request: ResolveRequest, call: OperatorCall) {
  const { merchantId, transactionId } = request;
  const operator = call.operator.id;
  const outcome = readOutcome(request.outcome);
  const refundId = request.refundId === '' ? undefined : request.refundId;
  const found = isUuid(transactionId) ? await context.charges.find(transactionId, { linearizable: true }) : undefined;
  if (found?.order.merchantId !== merchantId) throw new RefusalError(refuse('transaction_not_found'));
  const before = openOutcome(found.state, refundId, found.order.createdAtMs)?.proposal;
  const nowMs = context.clock.now();
  const approves = before?.outcome === outcome && (await call.mayApprove(before, nowMs));
  const base = { refundId, proposal: { operator, outcome, proposedAtMs: nowMs }, orderedAtMs: found.order.createdAtMs };
  const command = approves
    ? ({ ...base, type: 'approve', decided: await decidedCommand(context, found, refundId, outcome) } as const)
    : ({ ...base, type: 'propose' } as const);
  const impossible = decideCharge(found.state, command, nowMs);
  if (isRefusal(impossible)) throw new RefusalError(impossible);
  call.record({
    target: refundId === undefined ? `charge:${found.order.id}` : `refund:${refundId}`,
    before: { status: found.state.status, proposal: before ?? null },
    after: { outcome, step: approves ? 'approved' : 'proposed' },
  });
  if (approves) await watchOutcome(context, found, refundId);
  const { charge } = await changeCharge(context, found, command);
  // What the ledger does not book just now is left to the charge's timer: the decision stands.
  if (approves) await workOn(context, charge);
  return { decided: approves };
}

/** As if the bank had said so. */
async function decidedCommand(
  context: Context,
  { order }: StoredCharge,
  refundId: string | undefined,
  outcome: Resolution,
): Promise<OutcomeCommand> {
  if (refundId !== undefined)
    return outcome === 'succeeded'
      ? { type: 'refund-succeeded', id: refundId, railReference: RAIL_REFERENCE }
      : { type: 'refund-refused', id: refundId, ...FAILURE };
  if (outcome === 'failed') return { type: 'fail', ...FAILURE };
  const chargedAtMs = context.clock.now();
  return { type: 'charged', railReference: RAIL_REFERENCE, chargedAtMs, fees: await feesFor(context, order, chargedAtMs) };
}

function readOutcome(text: string): Resolution {
  if (text === 'succeeded' || text === 'failed') return text;
  throw new RefusalError(refuseField('outcome', 'is neither succeeded nor failed'));
}
