import { type Refusal, refuse } from '@gerbang/core';
import { UNRESOLVED_AFTER_MS } from './schedule.ts';
import { type ChargeCommand, type ChargeEvent, type ChargeState, isCharged, type Proposal } from './state.ts';

export type ResolutionCommand = Extract<ChargeCommand, { type: 'propose' | 'approve' }>;

/** An outcome that the bank has not told. `sinceMs`: when it was ordered. */
type OpenOutcome = { sinceMs: number; proposal: Proposal | undefined };

/**
 * One operator proposes an outcome that the bank has not told for too long; a proposal replaces the one before. Refusals:
 * bad_request.
 */
export function propose(
  state: ChargeState,
  { refundId, proposal, orderedAtMs }: Extract<ResolutionCommand, { type: 'propose' }>,
  nowMs: number,
): ChargeEvent[] | Refusal {
  const impossible = whyNotResolve(state, refundId, orderedAtMs, nowMs);
  if (impossible !== undefined) return impossible;
  if (state.status === 'sending') return [{ type: 'changed', state: { ...state, proposal }, published: undefined }];
  if (!isCharged(state)) return [];
  const refunds = state.refunds.map((refund) =>
    refund.id === refundId && refund.stage.status === 'sending' ? { ...refund, stage: { ...refund.stage, proposal } } : refund,
  );
  return [{ type: 'changed', state: { ...state, refunds }, published: undefined }];
}

/** Why an operator can not approve an outcome; undefined where another one has proposed the very same. */
export function whyNotApprove(
  state: ChargeState,
  { refundId, proposal: { operator, outcome }, orderedAtMs }: Extract<ResolutionCommand, { type: 'approve' }>,
  nowMs: number,
): Refusal | undefined {
  const impossible = whyNotResolve(state, refundId, orderedAtMs, nowMs);
  if (impossible !== undefined) return impossible;
  const proposed = openOutcome(state, refundId, orderedAtMs)?.proposal;
  if (proposed !== undefined && proposed.outcome === outcome && proposed.operator !== operator) return undefined;
  return refuse('bad_request', { message: 'Another operator has to propose this outcome first' });
}

function whyNotResolve(state: ChargeState, refundId: string | undefined, orderedAtMs: number, nowMs: number) {
  const open = openOutcome(state, refundId, orderedAtMs);
  if (open === undefined) return refuse('bad_request', { message: 'The bank owes no answer about it' });
  if (nowMs - open.sinceMs < UNRESOLVED_AFTER_MS)
    return refuse('bad_request', { message: 'The bank may still tell its outcome: it has a day' });
  return undefined;
}

/** Of the charge itself, or of one of its refunds; undefined where the bank owes no answer about it. */
export function openOutcome(state: ChargeState, refundId: string | undefined, orderedAtMs: number): OpenOutcome | undefined {
  if (refundId === undefined) return state.status === 'sending' ? { sinceMs: orderedAtMs, proposal: state.proposal } : undefined;
  const refund = isCharged(state) ? state.refunds.find(({ id }) => id === refundId) : undefined;
  if (refund?.stage.status !== 'sending') return undefined;
  return { sinceMs: refund.createdAtMs, proposal: refund.stage.proposal };
}
