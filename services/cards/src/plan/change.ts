import { isRefusal, isUlid, RefusalError, refuse } from '@gerbang/core';
import { retryConflicts } from '@gerbang/store';
import type { Context } from '../context.ts';
import type { StoredPlan } from './document.ts';
import { decide } from './plan.ts';
import type { PlanCommand } from './state.ts';

type ChangeContext = Pick<Context, 'plans' | 'clock' | 'log'>;

/**
 * Decides a command and writes it; when another process has written meanwhile, decides anew on what is there now. Refusals: those of
 * the decider, unavailable.
 */
export function changePlan(context: ChangeContext, first: StoredPlan, command: PlanCommand): Promise<StoredPlan> {
  return retryConflicts<StoredPlan, StoredPlan>({
    first,
    read: () => mustFindPlan(context, first.order.id),
    async write(current) {
      const nowMs = context.clock.now();
      const events = decide(current.order, current.state, command, nowMs);
      if (isRefusal(events)) throw new RefusalError(events);
      const [event] = events;
      if (event === undefined) return current;
      const changed = await context.plans.apply(current, event, nowMs);
      const { id: plan_id, merchantId: merchant_id } = current.order;
      for (const type of changed === undefined ? [] : event.published)
        context.log.info({ plan_id, merchant_id, status: event.state.status }, type);
      return changed;
    },
  });
}

export async function mustFindPlan({ plans }: Pick<Context, 'plans'>, id: string): Promise<StoredPlan> {
  const found = await plans.find(id, { linearizable: true });
  if (found === undefined) throw new Error(`plan ${id} has vanished`);
  return found;
}

/** A plan of a merchant's own account. Refusals: transaction_not_found. */
export async function findOwnPlan(
  { plans }: Pick<Context, 'plans'>,
  { merchantId, accountId, planId }: { merchantId: string; accountId: string; planId: string },
): Promise<StoredPlan> {
  const found = isUlid(planId) ? await plans.find(planId) : undefined;
  if (found === undefined || found.order.merchantId !== merchantId || found.order.accountId !== accountId)
    throw new RefusalError(refuse('transaction_not_found'));
  return found;
}
