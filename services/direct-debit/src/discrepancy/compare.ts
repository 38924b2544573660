import { callWithin } from '@gerbang/rails';
import type { StoredCharge } from '../charge/document.ts';
import { readChargeRequest, readRefundRequest } from '../charge/request.ts';
import { type ChargeState, isCharged, type Refund, type Resolution } from '../charge/state.ts';
import type { Context } from '../context.ts';
import type { Kind } from './discrepancy.ts';

/**
 * What the bank says of an outcome that stands here. `silent`: it does not answer; `open`: it has no outcome, or there is none
 * here.
 */
export type Comparison = Kind | 'agreed' | 'open' | 'silent';

/** Asks the bank about a charge, or about one of its refunds, and compares its outcome with ours. */
export async function compareWithBank(context: Context, charge: StoredCharge, refundId: string | undefined): Promise<Comparison> {
  const refund = refundId === undefined ? undefined : refundOf(charge.state, refundId);
  if (refundId !== undefined && refund === undefined) return 'open';
  const ours = refund === undefined ? chargeOutcome(charge.state) : refundOutcome(refund);
  if (ours === undefined) return 'open';
  const { outcome: theirs } = await askBank(context, charge, refund);
  if (theirs === 'unknown') return 'silent';
  if (theirs !== 'succeeded' && theirs !== 'failed') return 'open';
  if (theirs === ours) return 'agreed';
  const isMoneyIn = refund === undefined;
  return (theirs === 'succeeded') === isMoneyIn ? 'surplus' : 'shortfall';
}

function askBank(context: Context, { order, state }: StoredCharge, refund: Refund | undefined) {
  const { rail, railTimeoutMs } = context;
  if (refund === undefined)
    return callWithin(railTimeoutMs, (signal) => rail.inquireCharge(readChargeRequest(order, state), { signal }));
  return callWithin(railTimeoutMs, (signal) => rail.inquireRefund(readRefundRequest(refund.request), { signal }));
}

function chargeOutcome(state: ChargeState): Resolution | undefined {
  if (isCharged(state)) return 'succeeded';
  return state.status === 'failed' || state.status === 'expired' ? 'failed' : undefined;
}

function refundOutcome({ stage: { status } }: Refund): Resolution | undefined {
  if (status === 'succeeded') return 'succeeded';
  return status === 'returning' || status === 'failed' ? 'failed' : undefined;
}

function refundOf(state: ChargeState, refundId: string): Refund | undefined {
  return isCharged(state) ? state.refunds.find(({ id }) => id === refundId) : undefined;
}
