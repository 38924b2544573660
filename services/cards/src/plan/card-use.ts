import type { CardData } from '@gerbang/rails/card';
import type { Context } from '../context.ts';
import { changePlan } from './change.ts';
import type { StoredPlan } from './document.ts';
import { hasEnded } from './state.ts';

/** Whether a plan needs a token: it is the plan's, and the plan goes on or has a charge that is not over. */
export function usesToken({ state }: StoredPlan, token: string): boolean {
  const isCharging = state.open !== undefined && !state.open.hasFailed;
  return state.card.token === token && (!hasEnded(state) || isCharging);
}

/** The same of the plan as it is at this moment; one that was never created needs nothing. */
export async function isTokenUsed({ plans }: Pick<Context, 'plans'>, planId: string, token: string): Promise<boolean> {
  const plan = await plans.find(planId, { linearizable: true });
  return plan !== undefined && usesToken(plan, token);
}

/**
 * The plan names its token now. Where the token was given up before that, because it looked unused, the card is kept
 * once more, and the plan gets that token. Refusals: unavailable.
 */
export async function confirmCard(context: Context, plan: StoredPlan, card: CardData): Promise<StoredPlan> {
  const { merchantId, id } = plan.order;
  let current = plan;
  while (!hasEnded(current.state)) {
    const { token } = current.state.card;
    if (await context.vault.confirm({ merchantId, token }, id)) return current;
    const kept = await context.vault.keep(merchantId, card, id);
    current = await changePlan(context, current, { type: 'card-kept', lost: token, token: kept });
  }
  return current;
}
