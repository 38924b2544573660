import type { Context } from '../context.ts';
import { askOtp } from './ask-otp.ts';
import { changeCharge } from './change.ts';
import type { StoredCharge } from './document.ts';
import { postCredit, postSettlement } from './postings.ts';
import { isMoving } from './refund.ts';
import { advanceRefund } from './refund-steps.ts';
import { inquireCharge, sendCharge } from './send.ts';
import { type Charged, type ChargeState, isCharged } from './state.ts';

/** More steps than a charge with all its refunds can need at once: one that goes on is a fault. */
const STEPS_MAX = 200;

/**
 * Takes a charge as far as it goes without waiting: each step is idempotent by its key, is begun again by the next one where this
 * process dies, and may be done by two replicas at once. Fails where the ledger or the database does not answer; the charge's timer
 * comes back to it then.
 */
export async function advanceCharge(context: Context, charge: StoredCharge): Promise<StoredCharge> {
  let current = charge;
  for (let step = 0; step < STEPS_MAX; step++) {
    const next = await takeNextStep(context, current);
    if (next === undefined || next.document.version === current.document.version) return next ?? current;
    // The bank has been asked, and has not told an outcome: that is for the timer.
    if (next.state.status === 'sending') return next;
    current = next;
  }
  throw new Error(`charge ${charge.order.id} does not come to rest`);
}

/** One step; undefined where there is nothing to do now. */
async function takeNextStep(context: Context, charge: StoredCharge): Promise<StoredCharge | undefined> {
  const { state, order } = charge;
  switch (state.status) {
    case 'created':
      return order.requiresOtp ? askOtp(context, charge, 'ask-otp') : sendCharge(context, charge);
    case 'awaiting-otp':
      return context.clock.now() >= state.otp.expiresAtMs
        ? (await changeCharge(context, charge, { type: 'expire' })).charge
        : undefined;
    case 'sending':
      return state.sends === 0 ? sendCharge(context, charge) : inquireCharge(context, charge);
    case 'crediting':
      await postCredit(context, order, state.fees);
      return (await changeCharge(context, charge, { type: 'pay' })).charge;
    case 'paid':
    case 'settling':
    case 'settled':
      return takeChargedStep(context, charge, state);
    case 'failed':
    case 'expired':
      return undefined;
    default:
      return state satisfies never;
  }
}

type Settleable = Extract<ChargeState, { status: 'paid' | 'settling' | 'settled' }>;

/** The refunds whose money the ledger moves come first, since what settles depends on them. */
async function takeChargedStep(context: Context, charge: StoredCharge, state: Settleable): Promise<StoredCharge | undefined> {
  const moving = state.refunds.find(isMoving);
  if (moving !== undefined) return advanceRefund(context, charge, moving);
  const nowMs = context.clock.now();
  if (state.status === 'paid' && state.fees.settleAtMs <= nowMs)
    return (await changeCharge(context, charge, { type: 'begin-settling' })).charge;
  if (state.status === 'settling') {
    const atMs = state.settleSen === 0n ? nowMs : await postSettlement(context, charge.order, state);
    return (await changeCharge(context, charge, { type: 'settle', atMs })).charge;
  }
  const due = dueRefund(state, nowMs);
  return due && advanceRefund(context, charge, due);
}

/** A refund that the bank is to be asked about now. */
function dueRefund({ refunds }: Charged, nowMs: number) {
  return refunds.find(({ stage }) => stage.status === 'sending' && stage.dueAtMs <= nowMs);
}

/** Takes up a charge whose timer has fired. Runs at least once. */
export async function onChargeDue(context: Context, charge: StoredCharge): Promise<void> {
  if (context.inProgress.has(charge.order.id) && !isCharged(charge.state)) return;
  await advanceCharge(context, charge);
}
