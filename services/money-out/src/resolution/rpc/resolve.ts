import { isRefusal, RefusalError, refuse, refuseField } from '@gerbang/core';
import type { ResolveRequest } from '@gerbang/proto/gerbang/money_out/v1/money_out';
import type { OperatorCall } from '@gerbang/service/operators';
import type { Context } from '../../context.ts';
import { change } from '../../transfer/change.ts';
import type { StoredTransfer } from '../../transfer/document.ts';
import { compensate } from '../../transfer/posting.ts';
import type { Outcome } from '../../transfer/product.ts';
import { askForRefund } from '../../transfer/refund.ts';
import { cancelTransfer, settle } from '../../transfer/saga.ts';
import { isHeld, type Resolution } from '../../transfer/state.ts';
import { decide } from '../../transfer/transfer.ts';

/** What operators have decided, as if the rail had said so. */
const DECIDED = {
  succeeded: { outcome: 'succeeded', railReference: 'resolved by operators' },
  failed: { outcome: 'failed', code: 'OPERATOR', reason: 'Resolved by operators', cause: 'other' },
} as const satisfies Partial<Record<Resolution, Outcome>>;

const RESOLUTIONS: readonly Resolution[] = ['succeeded', 'failed', 'cancel', 'refund'];

/**
 * Two people decide the outcome of a transfer that the rail did not know, or correct one that has ended, or have the rail cancel
 * or refund one: the first call proposes, the same call by another operator approves. A proposal with another outcome replaces the
 * first; it ends after a day, and with its proposer's right to make it. Refusals: validation, transaction_not_found, bad_request (also where the product's rail cannot do it),
 * insufficient_balance (an approved payment that the account cannot bear stays in the queue), transaction_failed (the rail refuses
 * an approved refund), unavailable.
 */
export async function resolve(context: Context, request: ResolveRequest, call: OperatorCall) {
  const { merchantId, accountId, referenceNumber } = request;
  const operator = call.operator.id;
  const outcome = readOutcome(request.outcome);
  const found = await context.transfers.find(accountId, referenceNumber, { linearizable: true });
  if (found === undefined || found.order.merchantId !== merchantId) throw new RefusalError(refuse('transaction_not_found'));
  const unable = whyUnable(found, outcome);
  if (unable !== undefined) throw new RefusalError(refuse('bad_request', { message: unable }));
  const proposal = found.state.status === 'created' ? undefined : found.state.proposal;
  const nowMs = context.clock.now();
  const approves = proposal?.outcome === outcome && (await call.mayApprove(proposal, nowMs));
  const impossible = decide(found.state, { type: 'propose', operator, outcome }, nowMs);
  if (isRefusal(impossible)) throw new RefusalError(impossible);
  call.record({
    target: `transfer:${found.order.transactionId}`,
    before: { status: found.state.status, proposal: proposal ?? null },
    after: { outcome, step: approves ? 'approved' : 'proposed' },
  });
  if (approves) await approve(context, found, operator, outcome);
  else await change(context, found, [{ type: 'propose', operator, outcome }]);
  return { decided: approves };
}

async function approve(context: Context, transfer: StoredTransfer, operator: string, outcome: Resolution): Promise<void> {
  if (outcome === 'cancel') {
    await cancelTransfer(context, transfer, 'canceled');
    return;
  }
  if (outcome !== 'refund' && isHeld(transfer.state)) {
    await settle(context, transfer, DECIDED[outcome]);
    return;
  }
  const approved = await change(context, transfer, [{ type: 'approve', operator, outcome }]);
  if (outcome === 'refund') {
    await refund(context, approved);
    return;
  }
  const { state } = await compensate(context, approved);
  if (outcome === 'succeeded' && state.status !== 'succeeded') throw new RefusalError(refuse('insufficient_balance'));
}

/** Asks the rail for the first time; its timer goes on where it does not answer. */
async function refund(context: Context, approved: StoredTransfer): Promise<void> {
  const { transactionId } = approved.order;
  context.inProgress.add(transactionId);
  try {
    await askForRefund(context, approved, { firstSend: true });
  } finally {
    context.inProgress.delete(transactionId);
  }
}

function whyUnable({ product }: StoredTransfer, outcome: Resolution): string | undefined {
  if (outcome === 'cancel' && product.cancel === undefined) return `The rail of ${product.name} cannot cancel`;
  return outcome === 'refund' && product.refund === undefined ? `The rail of ${product.name} cannot refund` : undefined;
}

function readOutcome(text: string): Resolution {
  const outcome = RESOLUTIONS.find((one) => one === text);
  if (outcome === undefined) throw new RefusalError(refuseField('outcome', `is none of ${RESOLUTIONS.join(', ')}`));
  return outcome;
}
