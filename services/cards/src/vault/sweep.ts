import type { Context } from '../context.ts';
import { isTokenUsed, usesToken } from '../plan/card-use.ts';
import type { StoredToken } from './vault.ts';

/** A token that is in use is looked at again after so long. */
export const CHECK_EVERY_MS = 86_400_000;

/**
 * Looks whether anything uses the cards that are kept: plans that were never created, that have ended, or that have another card do
 * not. Most are in use, which one query tells of all; the others are decided one by one. Runs at least once for each.
 */
export async function onTokensDue(context: Context, tokens: readonly StoredToken[]): Promise<void> {
  const found = await context.plans.findMany([...new Set(tokens.flatMap(({ users }) => users))]);
  const plans = new Map(found.map((plan) => [plan.order.id, plan]));
  const isInUse = ({ _id, users }: StoredToken) =>
    users.every((user) => {
      const plan = plans.get(user);
      return plan !== undefined && usesToken(plan, _id);
    });
  const look = async (token: StoredToken) => {
    if (isInUse(token)) return context.vault.checkAgain(token, context.clock.now() + CHECK_EVERY_MS);
    const deleted = await context.vault.releaseToken(token, (user, of) => isTokenUsed(context, user, of));
    if (deleted === 0) return;
    context.metrics.cardsSwept(deleted);
    context.log.info({ merchant_id: token.merchant_id }, 'a card that nothing uses was deleted');
  };
  const left = (error: unknown) => context.log.warn({ err: error }, 'a kept card was left to its timer');
  await Promise.all(tokens.map((token) => look(token).catch(left)));
}
