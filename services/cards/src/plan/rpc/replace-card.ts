import { RefusalError, refuse } from '@gerbang/core';
import type { ReplaceCardRequest } from '@gerbang/proto/gerbang/cards/v1/plans';
import type { CardData } from '@gerbang/rails/card';
import type { Context } from '../../context.ts';
import { admitPayment } from '../../payment/place.ts';
import { advancePlan, once } from '../advance.ts';
import { confirmCard, isTokenUsed } from '../card-use.ts';
import { changePlan, findOwnPlan } from '../change.ts';
import { type CustomersCard, changeCycle, chargeByCustomer, newPaymentId, openCycleOf } from '../charge.ts';
import type { StoredPlan } from '../document.ts';
import { cardOf, planCard, shownPlan } from '../own-card.ts';
import { hasEnded, type PlanCard } from '../state.ts';

/** Another card for a plan; it charges the cycle that has failed, where one has. Refusals: those of the service's contract. */
export async function replaceCard(context: Context, request: ReplaceCardRequest) {
  const { merchantId, accountId, planId, callerAddress } = request;
  const card = cardOf(request.card);
  const found = await findOwnPlan(context, { merchantId, accountId, planId });
  const { amountSen } = found.order;
  await admitPayment(context, { merchantId, accountId, amountSen, installmentMonths: 1 }, card);
  if (hasEnded(found.state))
    throw new RefusalError(refuse('transaction_failed', { message: `The plan is ${found.state.status}` }));
  await context.vault.watch(merchantId, planId);
  const token = await context.vault.keep(merchantId, card, planId);
  const replacement = planCard(card, request.card, token);
  const { open } = found.state;
  const isCharged = open !== undefined && (open.hasFailed || (await isUnsent(context, found, open.cycle)));
  const plan = isCharged
    ? await chargeAgain(context, found, { cycle: open.cycle, replacement, card, callerAddress })
    : await nameCard(context, found, { replacement, card });
  await context.vault.release(merchantId, planId, (user, of) => isTokenUsed(context, user, of));
  const shown = await shownPlan(context, plan);
  return { plan: shown.plan, declinedReason: isCharged ? shown.declinedReason : '' };
}

/** Whether the process that was to charge the customer's card has died before: its card is gone, and this one takes its place. */
async function isUnsent(context: Context, plan: StoredPlan, number: number): Promise<boolean> {
  const cycle = await context.cycles.find(plan.order.id, number);
  if (cycle?.state.status !== 'processing' || cycle.state.attempt.initiatedBy !== 'customer') return false;
  const payment = await context.payments.find(cycle.state.attempt.paymentId, { linearizable: true });
  return payment === undefined || payment.state.status === 'created';
}

/**
 * The cycle is changed first: who finds the plan changed has to find a cycle that is being charged. One that was left so by a process
 * that has died is charged by the next request. Of two requests at once one sends.
 */
async function chargeAgain(
  context: Context,
  found: StoredPlan,
  { cycle: number, replacement, ...entered }: { cycle: number; replacement: PlanCard } & CustomersCard,
): Promise<StoredPlan> {
  const failed = await openCycleOf(context, found, number);
  const cycle = await changeCycle(context, failed, { type: 'charge-again', paymentId: newPaymentId(context) });
  const plan = await nameCard(context, found, { replacement, card: entered.card });
  const charged = await once(context, found.order.id, async () => {
    await chargeByCustomer(context, plan, cycle, entered);
    return advancePlan(context, plan);
  });
  return charged ?? plan;
}

/** The plan has the card from here on. */
async function nameCard(
  context: Context,
  found: StoredPlan,
  { replacement, card }: { replacement: PlanCard; card: CardData },
): Promise<StoredPlan> {
  return confirmCard(context, await changePlan(context, found, { type: 'replace-card', card: replacement }), card);
}
