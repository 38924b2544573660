import { isRefusal, RefusalError, refuse, refuseField } from '@gerbang/core';
import type { ResolveRequest } from '@gerbang/proto/gerbang/money_out/v1/money_out';
import type { Context } from '../../context.ts';
import { settle } from '../../transfer/saga.ts';
import type { StoredTransfer } from '../../transfer/stored-transfer.ts';
import { decide, type Resolution } from '../../transfer/transfer.ts';

/**
 * Two people decide what became of a transfer that the rail could not tell: the first call proposes, the same call by somebody else settles it.
 * A proposal with the other outcome replaces the first. Refusals: validation, transaction_not_found, bad_request.
 */
export async function resolve(context: Context, request: ResolveRequest) {
  const { operator, merchantId, accountId, referenceNumber } = request;
  const outcome = readOutcome(request.outcome);
  if (operator === '') throw new RefusalError(refuseField('operator', 'is required'));
  const found = await context.transfers.find(accountId, referenceNumber, { linearizable: true });
  if (found === undefined || found.order.merchantId !== merchantId) throw new RefusalError(refuse('transaction_not_found'));
  const proposal = found.state.status === 'sent' ? found.state.proposal : undefined;
  const approves = proposal !== undefined && proposal.outcome === outcome && proposal.operator !== operator;
  const command = approves ? 'transfer.resolve' : 'transfer.propose-resolution';
  const events = decide(found.state, { type: 'propose', operator, outcome }, context.clock.now());
  if (isRefusal(events)) throw new RefusalError(events);
  await context.audit.append(
    { operator, command, target: found.order.transactionId, before: { proposal: proposal ?? null }, after: { outcome } },
    Date.now(),
  );
  if (approves) {
    await conclude(context, found, outcome);
    return { decided: true };
  }
  const dueMs = found.document.due_at?.getTime();
  const written = await context.transfers.apply(found, events, context.clock.now(), dueMs);
  if (written === undefined)
    throw new RefusalError(refuse('unavailable', { message: 'The transfer has just changed; look again' }));
  return { decided: false };
}

async function conclude(context: Context, transfer: StoredTransfer, outcome: Resolution): Promise<void> {
  if (outcome === 'succeeded') await settle(context, transfer, { outcome, railReference: 'resolved by operators' });
  else await settle(context, transfer, { outcome, code: 'OPERATOR', reason: 'Resolved by operators', beneficiaryUnknown: false });
}

function readOutcome(text: string): Resolution {
  if (text === 'succeeded' || text === 'failed') return text;
  throw new RefusalError(refuseField('outcome', 'is neither succeeded nor failed'));
}
