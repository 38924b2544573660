import { describeRefusal, newUlid, RefusalError } from '@gerbang/core';
import { PaymentStatus } from '@gerbang/proto/gerbang/cards/v1/cards';
import type { CardData } from '@gerbang/rails/card';
import { retryConflicts } from '@gerbang/store';
import type { Context } from '../context.ts';
import { beginCycle, type CycleCommand, decide, type Failure } from '../cycle/cycle.ts';
import type { StoredCycle } from '../cycle/store.ts';
import { workOn } from '../payment/advance.ts';
import { changePayment, mustFindPayment } from '../payment/change.ts';
import type { StoredPayment } from '../payment/document.ts';
import { fencePayment, isNeverSent } from '../payment/fence.ts';
import { statusOf } from '../payment/message.ts';
import { paymentId } from '../payment/own.ts';
import { NEVER_SENT } from '../payment/payment.ts';
import { type Ordered, placePayment } from '../payment/place.ts';
import { SUBMIT_WITHIN_MS } from '../payment/schedule.ts';
import { dueOf } from './calendar.ts';
import type { StoredPlan } from './document.ts';
import { hasEnded } from './state.ts';

/** For the writes before and after a call to the acquirer. */
const ANSWER_MARGIN_MS = 5_000;

/** The open cycle of a plan; made where it is not there yet. The first is charged by the customer who orders the plan. */
export function openCycleOf(context: Context, { order, state }: StoredPlan, cycle: number): Promise<StoredCycle> {
  const attempt = {
    paymentId: newPaymentId(context),
    initiatedBy: state.status === 'pending' ? ('customer' as const) : ('merchant' as const),
    startedAtMs: context.clock.now(),
  };
  const { id: planId, merchantId, amountSen, calendar } = order;
  const wanted = { planId, cycle, merchantId, amountSen, dueAtMs: dueOf(calendar, cycle) };
  return context.cycles.insertOrFind(wanted, beginCycle(attempt));
}

export function newPaymentId({ clock }: Pick<Context, 'clock'>): string {
  return paymentId(newUlid(clock.now()));
}

/** Decides a command on a cycle and writes it. */
export function changeCycle(context: Context, first: StoredCycle, command: CycleCommand): Promise<StoredCycle> {
  const { planId, cycle } = first.order;
  return retryConflicts<StoredCycle, StoredCycle>({
    first,
    async read() {
      const found = await context.cycles.find(planId, cycle);
      if (found === undefined) throw new Error(`cycle ${planId}:${cycle} has vanished`);
      return found;
    },
    async write(current) {
      const nowMs = context.clock.now();
      const [event] = decide(current.state, command, nowMs);
      if (event === undefined) return current;
      const changed = await context.cycles.apply(current, event, nowMs);
      if (changed !== undefined) context.metrics.cycleIs(event.state.status);
      if (changed !== undefined && event.published !== undefined)
        context.log.info({ plan_id: planId, cycle, status: event.state.status }, event.published);
      return changed;
    },
  });
}

/** A card that a customer has just entered, and the address of the merchant's server that has sent it. */
export type CustomersCard = { card: CardData; callerAddress: string };

/** Charges a cycle by the customer's own card: once, also where several processes are at work on it. Refusals: those of `placePayment`. */
export function chargeByCustomer(
  context: Context,
  plan: StoredPlan,
  cycle: StoredCycle,
  { card, callerAddress }: CustomersCard,
): Promise<StoredPayment> {
  return placePayment(context, cycle.state.attempt.paymentId, { ...wantedOf(plan, cycle), callerAddress }, card);
}

/** Takes a cycle that is being charged on to its outcome, where there is one. The same cycle: its payment has none yet. */
export async function advanceCharge(context: Context, plan: StoredPlan, cycle: StoredCycle): Promise<StoredCycle> {
  // One that is not seen yet is found when it is to be inserted.
  const found = await context.payments.find(cycle.state.attempt.paymentId);
  const isSent = found !== undefined && found.state.status !== 'created';
  const charged = isSent ? found : await charge(context, plan, { cycle, payment: found });
  if (charged === undefined) return cycle;
  if ('code' in charged) return declineUnsent(context, plan, cycle, charged);
  return takeOutcome(context, plan, { cycle, payment: charged });
}

/** Another process may be about to send the payment: either it never does, or the cycle follows what it has sent. */
async function declineUnsent(context: Context, plan: StoredPlan, cycle: StoredCycle, failure: Failure): Promise<StoredCycle> {
  const payment = await fencePayment(context, cycle.state.attempt.paymentId, wantedOf(plan, cycle), plan.state.card);
  return isNeverSent(payment) ? decline(context, plan, cycle, failure) : takeOutcome(context, plan, { cycle, payment });
}

type Charging = { cycle: StoredCycle; payment: StoredPayment | undefined };

/** Sends what was not sent. Undefined: nothing can be done now. */
async function charge(
  context: Context,
  plan: StoredPlan,
  { cycle, payment }: Charging,
): Promise<StoredPayment | Failure | undefined> {
  const { initiatedBy, startedAtMs, paymentId: id } = cycle.state.attempt;
  if (initiatedBy === 'customer') {
    // The security code is gone with the process that had it. A payment that is there gives itself up.
    const isGone = payment === undefined && context.clock.now() >= startedAtMs + SUBMIT_WITHIN_MS;
    return isGone ? NEVER_SENT : undefined;
  }
  if (hasEnded(plan.state)) return payment ?? { code: 'PLAN_ENDED', reason: 'The plan has ended' };
  const { merchantId } = plan.order;
  const { token, holderName } = plan.state.card;
  const card = await context.vault.reveal({ merchantId, token }, holderName);
  if (card === undefined) return { code: 'CARD_DELETED', reason: 'The card is not kept any more' };
  try {
    // The plan's slot is taken until the acquirer has answered: there are no more calls than slots.
    const answerAfterMs = context.railTimeoutMs + ANSWER_MARGIN_MS;
    return await placePayment(context, id, wantedOf(plan, cycle), card, { answerAfterMs });
  } catch (error) {
    if (!(error instanceof RefusalError) || describeRefusal(error.refusal.refused).retryable) throw error;
    return { code: error.refusal.refused.toUpperCase(), reason: error.refusal.message };
  }
}

async function takeOutcome(
  context: Context,
  plan: StoredPlan,
  { cycle, payment }: { cycle: StoredCycle; payment: StoredPayment },
): Promise<StoredCycle> {
  const { id } = payment.order;
  const status = statusOf(payment.state);
  switch (status) {
    case PaymentStatus.SUCCESS:
      if (isUnwanted(plan, cycle) && (await giveBack(context, payment))) return cycle;
      return changeCycle(context, cycle, { type: 'paid', paymentId: id });
    case PaymentStatus.CANCELLED:
    case PaymentStatus.REFUNDED: {
      if (!isUnwanted(plan, cycle)) return changeCycle(context, cycle, { type: 'paid', paymentId: id });
      return decline(context, plan, cycle, { code: 'PLAN_ENDED', reason: 'The plan was cancelled meanwhile' });
    }
    case PaymentStatus.FAILED: {
      const { code = '', reason = '' } = 'code' in payment.state ? payment.state : {};
      return decline(context, plan, cycle, { code, reason });
    }
    default:
      return cycle;
  }
}

function decline(context: Context, plan: StoredPlan, cycle: StoredCycle, failure: Failure): Promise<StoredCycle> {
  const { paymentId: id } = cycle.state.attempt;
  const isLast = hasEnded(plan.state);
  return changeCycle(context, cycle, { type: 'declined', paymentId: id, failure, retryMs: context.planRetryMs, isLast });
}

/** The first charge of a plan that was cancelled before the customer was authenticated. */
function isUnwanted({ state }: StoredPlan, { order }: StoredCycle): boolean {
  return state.status === 'cancelled' && state.paidCycles === 0 && order.cycle === 1;
}

/** Gives a charge back, now or later; false where it can't be given back any more. */
async function giveBack(context: Context, payment: StoredPayment): Promise<boolean> {
  const { voidMs, refunds } = context.terms;
  try {
    const { payment: cancelling } = await changePayment(context, payment, { type: 'cancel', voidMs, refunds });
    await workOn(context, cancelling);
    return true;
  } catch (error) {
    if (!(error instanceof RefusalError) || error.refusal.refused !== 'transaction_failed') throw error;
    const { order, state } = await mustFindPayment(context, payment.order.id);
    // What is not voided any more may be refunded after its capture; what has ended meanwhile is looked at by the plan's timer.
    if (state.status === 'authorised' || statusOf(state) !== PaymentStatus.SUCCESS) return true;
    const fields = { transaction_id: order.id, merchant_id: order.merchantId, plan_id: order.recurring?.planId };
    const reason = error.refusal.message;
    context.log.error(
      { ...fields, alert: 'plan-charge-not-given-back', status: state.status, reason },
      'the first charge of a plan that was cancelled meanwhile cannot be given back; its merchant has the money',
    );
    return false;
  }
}

function wantedOf({ order, state }: StoredPlan, { order: { cycle }, state: { attempt } }: StoredCycle): Ordered {
  const { initiatedBy } = attempt;
  return {
    merchantId: order.merchantId,
    accountId: order.accountId,
    amountSen: order.amountSen,
    installment: 1,
    installmentMonths: 1,
    customer: order.customer,
    merchantReffNo: '',
    redirectUrl: order.redirectUrl,
    cardHolderName: state.card.holderName,
    recurring: { planId: order.id, cycle, initiatedBy, networkTransactionId: state.card.networkTransactionId },
  };
}
