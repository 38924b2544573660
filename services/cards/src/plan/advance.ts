import type { Context } from '../context.ts';
import type { Attempt } from '../cycle/cycle.ts';
import type { StoredCycle } from '../cycle/store.ts';
import { isAuthorised } from '../payment/state.ts';
import { isTokenUsed } from './card-use.ts';
import { changePlan } from './change.ts';
import { advanceCharge, changeCycle, newPaymentId, openCycleOf } from './charge.ts';
import type { StoredPlan } from './document.ts';
import { EXPIRY_NOTICE_MS, GIVE_UP_AFTER_MS, nextDueOf } from './plan.ts';
import { nextDueMs } from './schedule.ts';
import { hasEnded, type NetworkReference, type OpenCycle } from './state.ts';

/** More steps than a plan can need at once: one that goes on is a fault. */
const STEPS_MAX = 40;

/** A charge that failed without the issuer's no: the customer may try again. */
const NOT_DECLINED = new Set(['3DS', 'AUTHENTICATION_EXPIRED', 'NOT_SENT', 'NOT_RECEIVED']);

/**
 * Takes a plan as far as it goes without waiting, from where it was sent on. Each step is written on condition that no other process has
 * made it, and is begun again by the next one where this process dies. Fails where the acquirer, the keys or the database do not
 * answer; the plan's timer comes back to it then.
 *
 * Only the timer begins cycles (`cyclesMax`), one at a time: the timer's slots are how many charges the acquirer gets at once, and
 * a plan that has many cycles to make up for waits for its turn like the others.
 */
export async function advancePlan(context: Context, plan: StoredPlan, { cyclesMax = 0 } = {}): Promise<StoredPlan> {
  let current = plan;
  let begun = 0;
  for (let step = 0; step < STEPS_MAX; step++) {
    const next = await takeNextStep(context, current, begun < cyclesMax);
    if (next === undefined || next.document.version === current.document.version) return next ?? current;
    if (next.state.nextCycle > current.state.nextCycle && next.state.open !== undefined) begun++;
    current = next;
  }
  throw new Error(`plan ${plan.order.id} does not come to rest`);
}

/** Takes a plan up whose timer has fired. Runs at least once. */
export async function onPlanDue(context: Context, plan: StoredPlan): Promise<void> {
  await once(context, plan.order.id, async () => {
    const after = await advancePlan(context, plan, { cyclesMax: 1 });
    if (after.document.version !== plan.document.version) return;
    await context.plans.wait(after, nextDueMs(after.order, after.state, context.clock.now()));
  });
}

/** The payment of a plan's open cycle has an outcome. Where that is missed, the plan's timer sees it. */
export function onChargeFinished(context: Context, planId: string): void {
  const work = once(context, planId, async () => {
    const plan = await context.plans.find(planId, { linearizable: true });
    if (plan !== undefined) await advancePlan(context, plan);
  });
  const left = (error: unknown) => context.log.warn({ err: error, plan_id: planId }, 'a plan was left to its timer');
  context.background.add(work.catch(left));
}

/** Work on a plan, unless this process is at work on it. */
export async function once<T>({ inProgress }: Context, planId: string, work: () => Promise<T>): Promise<T | undefined> {
  if (inProgress.has(planId)) return undefined;
  inProgress.add(planId);
  try {
    return await work();
  } finally {
    inProgress.delete(planId);
  }
}

/** One step; undefined where there is nothing to do now. */
async function takeNextStep(context: Context, plan: StoredPlan, mayBegin: boolean): Promise<StoredPlan | undefined> {
  const { state, order } = plan;
  const nowMs = context.clock.now();
  if (state.open !== undefined && !state.open.hasFailed) return advanceOpenCycle(context, plan, state.open);
  if (hasEnded(state)) return plan.document.due_at === undefined ? undefined : forgetCard(context, plan);
  if (!state.card.isExpiryAnnounced && nowMs >= state.card.expiresAtMs - EXPIRY_NOTICE_MS)
    return changePlan(context, plan, { type: 'announce-expiry' });
  if (state.status === 'pending' && nowMs >= order.createdAtMs + GIVE_UP_AFTER_MS)
    return changePlan(context, plan, { type: 'give-up' });
  const dueMs = nextDueOf(order, state);
  return mayBegin && dueMs !== undefined && dueMs <= nowMs ? changePlan(context, plan, { type: 'begin-cycle' }) : undefined;
}

async function advanceOpenCycle(
  context: Context,
  plan: StoredPlan,
  open: OpenCycle,
  known?: StoredCycle,
): Promise<StoredPlan | undefined> {
  const cycle = known ?? (await openCycleOf(context, plan, open.cycle));
  const { state } = cycle;
  switch (state.status) {
    case 'success': {
      const isKnown = plan.state.card.networkTransactionId !== '';
      const reference = isKnown ? undefined : await referenceOf(context, state.attempt);
      return changePlan(context, plan, { type: 'cycle-paid', cycle: open.cycle, reference });
    }
    case 'failed': {
      const isDeclined = !NOT_DECLINED.has(state.failure.code);
      return changePlan(context, plan, { type: 'cycle-failed', cycle: open.cycle, isDeclined });
    }
    case 'retrying': {
      if (!hasEnded(plan.state) && context.clock.now() < state.retryAtMs) return waitFor(context, plan, state.retryAtMs);
      const command = hasEnded(plan.state)
        ? { type: 'abandon' as const }
        : { type: 'retry' as const, paymentId: newPaymentId(context) };
      return advanceOpenCycle(context, plan, open, await changeCycle(context, cycle, command));
    }
    case 'processing': {
      const after = await advanceCharge(context, plan, cycle);
      return after.document.version === cycle.document.version ? undefined : advanceOpenCycle(context, plan, open, after);
    }
    default:
      return state satisfies never;
  }
}

async function referenceOf({ payments }: Context, { paymentId }: Attempt): Promise<NetworkReference | undefined> {
  const payment = await payments.find(paymentId);
  if (payment === undefined || !isAuthorised(payment.state)) return undefined;
  const { networkTransactionId } = payment.state.authorisation;
  return { networkTransactionId, maskedCard: payment.order.maskedCard };
}

/** The timer fires when the cycle is tried again, and not sooner. */
async function waitFor(context: Context, plan: StoredPlan, dueMs: number): Promise<StoredPlan> {
  const { due_at, lease_until } = plan.document;
  if (due_at?.getTime() === dueMs && lease_until === undefined) return plan;
  return (await context.plans.wait(plan, dueMs)) ?? plan;
}

/** The card of a plan that has ended is needed no more. */
async function forgetCard(context: Context, plan: StoredPlan): Promise<StoredPlan> {
  const { merchantId, id } = plan.order;
  await context.vault.release(merchantId, id, (user, token) => isTokenUsed(context, user, token));
  return (await context.plans.wait(plan, undefined)) ?? plan;
}
