import { isRefusal, RefusalError, refuse, refuseField } from '@gerbang/core';
import type { ResolveRequest } from '@gerbang/proto/gerbang/money_out/v1/money_out';
import type { Context } from '../../context.ts';
import { change } from '../../transfer/change.ts';
import type { StoredTransfer } from '../../transfer/document.ts';
import { compensate } from '../../transfer/posting.ts';
import type { Outcome } from '../../transfer/product.ts';
import { settle } from '../../transfer/saga.ts';
import { isHeld, type Resolution } from '../../transfer/state.ts';
import { decide } from '../../transfer/transfer.ts';

/** What operators have decided, as if the rail had said so. */
const DECIDED = {
  succeeded: { outcome: 'succeeded', railReference: 'resolved by operators' },
  failed: { outcome: 'failed', code: 'OPERATOR', reason: 'Resolved by operators', cause: 'other' },
} as const satisfies Record<Resolution, Outcome>;

/**
 * Two people decide the outcome of a transfer that the rail did not know, or correct one that has ended: the first call proposes,
 * the same call by another operator approves. A proposal with the other outcome replaces the first. Refusals: validation,
 * transaction_not_found, bad_request, insufficient_balance (an approved payment that the account cannot bear stays in the queue),
 * unavailable.
 */
export async function resolve(context: Context, request: ResolveRequest) {
  const { operator, merchantId, accountId, referenceNumber } = request;
  const outcome = readOutcome(request.outcome);
  if (operator === '') throw new RefusalError(refuseField('operator', 'is required'));
  const found = await context.transfers.find(accountId, referenceNumber, { linearizable: true });
  if (found === undefined || found.order.merchantId !== merchantId) throw new RefusalError(refuse('transaction_not_found'));
  const proposal = found.state.status === 'created' ? undefined : found.state.proposal;
  const approves = proposal !== undefined && proposal.outcome === outcome && proposal.operator !== operator;
  const impossible = decide(found.state, { type: 'propose', operator, outcome }, context.clock.now());
  if (isRefusal(impossible)) throw new RefusalError(impossible);
  const command = approves ? 'transfer.resolve' : 'transfer.propose-resolution';
  await context.audit.append(
    { operator, command, target: found.order.transactionId, before: { proposal: proposal ?? null }, after: { outcome } },
    Date.now(),
  );
  if (approves) await approve(context, found, operator, outcome);
  else await change(context, found, [{ type: 'propose', operator, outcome }]);
  return { decided: approves };
}

async function approve(context: Context, transfer: StoredTransfer, operator: string, outcome: Resolution): Promise<void> {
  if (isHeld(transfer.state)) {
    await settle(context, transfer, DECIDED[outcome]);
    return;
  }
  const approved = await change(context, transfer, [{ type: 'approve', operator, outcome }]);
  const { state } = await compensate(context, approved);
  if (outcome === 'succeeded' && state.status !== 'succeeded') throw new RefusalError(refuse('insufficient_balance'));
}

function readOutcome(text: string): Resolution {
  if (text === 'succeeded' || text === 'failed') return text;
  throw new RefusalError(refuseField('outcome', 'is neither succeeded nor failed'));
}
