import { isRefusal, RefusalError, refuse, refuseField } from '@gerbang/core';
import { prepaidToken } from '@gerbang/keys';
import type { ResolvePurchaseRequest } from '@gerbang/proto/gerbang/biller/v1/biller';
import { Intent } from '@gerbang/proto/gerbang/ledger/v1/ledger';
import type { OperatorCall } from '@gerbang/service/operators';
import type { Context } from '../../context.ts';
import { change } from '../../purchase/change.ts';
import type { StoredPurchase } from '../../purchase/document.ts';
import { isRefused, postCompensation, postOutcome } from '../../purchase/posting.ts';
import { decide, type Proposal, type PurchaseCommand } from '../../purchase/purchase.ts';

type Decision = { operator: string; outcome: 'succeeded' | 'failed'; token: string };

/**
 * Two people decide the outcome of a purchase that the biller did not know: the first call proposes, the same call by another
 * operator approves. A proposal with another outcome or token replaces the first; it ends after a day,
 * and with its proposer's right to make it. Refusals: validation (outcome, token),
 * transaction_not_found, bad_request, insufficient_balance (it stays in the queue), unavailable.
 */
export async function resolvePurchase(context: Context, request: ResolvePurchaseRequest, call: OperatorCall) {
  const decision = readDecision(request, call.operator.id);
  const { operator, outcome, token } = decision;
  const found = await context.purchases.find(request.referenceNumber);
  if (found === undefined) throw new RefusalError(refuse('transaction_not_found'));
  mustHaveRightToken(found, decision);
  const sealedToken = token === '' ? undefined : await context.keys.seal(prepaidToken(found.order.referenceNumber), token);
  const nowMs = context.clock.now();
  const proposal: Proposal = { operator, outcome, sealedToken, proposedAtMs: nowMs };
  const impossible = decide(found.state, { type: 'propose', proposal }, nowMs);
  if (isRefusal(impossible)) throw new RefusalError(impossible);
  const approves = await isApproval(context, found, decision, (stored) => call.mayApprove(stored, nowMs));
  const before = found.state.status === 'held' ? found.state.proposal : undefined;
  call.record({
    target: `purchase:${found.order.transactionId}`,
    before: {
      status: found.state.status,
      proposal: before === undefined ? null : { operator: before.operator, outcome: before.outcome },
    },
    after: { outcome, step: approves ? 'approved' : 'proposed' },
  });
  if (approves) await approve(context, found, proposal, token);
  else await change(context, found, [{ type: 'propose', proposal }]);
  return { decided: approves };
}

function readDecision({ outcome, token }: ResolvePurchaseRequest, operator: string): Decision {
  if (outcome !== 'succeeded' && outcome !== 'failed')
    throw new RefusalError(refuseField('outcome', 'is neither succeeded nor failed'));
  return { operator, outcome, token };
}

function mustHaveRightToken({ order }: StoredPurchase, { outcome, token }: Decision): void {
  const needsToken = outcome === 'succeeded' && order.givesToken;
  if (needsToken ? /^[0-9]{20}$/.test(token) : token === '') return;
  const message = needsToken ? 'must be the 20 digits that the biller has told' : 'is not a part of this outcome';
  throw new RefusalError(refuseField('token', message));
}

/** Whether another operator has proposed the very same, and it still counts. */
async function isApproval(
  { keys }: Context,
  { order, state }: StoredPurchase,
  { outcome, token }: Decision,
  mayApprove: (proposal: Proposal) => Promise<boolean>,
): Promise<boolean> {
  if (state.status !== 'held' || state.proposal === undefined) return false;
  const { proposal } = state;
  const sealed = proposal.sealedToken;
  const proposedToken = sealed === undefined ? '' : await keys.open(prepaidToken(order.referenceNumber), sealed);
  return proposal.outcome === outcome && proposedToken === token && mayApprove(proposal);
}

async function approve(context: Context, purchase: StoredPurchase, { outcome, sealedToken }: Proposal, token: string) {
  if (token !== '' && !(await context.givenTokens.claim(token, purchase.order.referenceNumber)))
    throw new RefusalError(refuseField('token', 'is of another purchase'));
  const wanted = outcome === 'succeeded' ? Intent.CAPTURE : Intent.RELEASE;
  if ((await postOutcome(context, purchase, wanted)) !== wanted) await compensate(context, purchase, wanted);
  const receipt = { railReference: 'resolved by operators', serialNumber: '', sealedToken };
  const failure = { code: 'OPERATOR', reason: 'Resolved by operators' };
  const ending: PurchaseCommand = outcome === 'succeeded' ? { type: 'succeed', receipt } : { type: 'fail', failure };
  await change(context, purchase, [ending]);
}

/** Refusals: insufficient_balance, after which the purchase waits for operators again. */
async function compensate(context: Context, purchase: StoredPurchase, wanted: Intent.CAPTURE | Intent.RELEASE): Promise<void> {
  try {
    await postCompensation(context, purchase, wanted);
  } catch (error) {
    if (!isRefused(error, ['insufficient_balance', 'account_limit'])) throw error;
    const reason = `The ledger refuses the purchase: ${error.refusal.refused}`;
    await change(context, purchase, [{ type: 'refuse-compensation', reason }]);
    throw error;
  }
}
