import type { ListCyclesRequest } from '@gerbang/proto/gerbang/cards/v1/plans';
import { findPage, type Page, readPage } from '@gerbang/store';
import { CARD, type Context } from '../../context.ts';
import { toCycleMessage, toScheduledMessage } from '../../cycle/message.ts';
import { findOwnPlan } from '../change.ts';
import type { StoredPlan } from '../document.ts';
import { nextDueOf } from '../plan.ts';

/** Cycles of a plan, newest first; the first is the scheduled one. Refusals: validation (cursor), those of `getPlan`. */
export async function listCycles(context: Context, request: ListCyclesRequest) {
  const { merchantId, accountId, planId } = request;
  await context.merchants.admitProduct(merchantId, CARD);
  await context.merchants.account(merchantId, accountId);
  const plan = await findOwnPlan(context, { merchantId, accountId, planId });
  const find = async ({ limit, before }: Page) => {
    const beforeCycle = before === undefined ? undefined : Number(before);
    const stored = await context.cycles.list(planId, { limit, before: beforeCycle });
    const scheduled = beforeCycle === undefined ? scheduledOf(plan) : [];
    return [...scheduled, ...stored.map(toCycleMessage)].slice(0, limit);
  };
  const isKey = (key: string) => /^[1-9][0-9]{0,8}$/.test(key);
  const { items, nextCursor } = await findPage(readPage(request, isKey), find, ({ cycle }) => String(cycle));
  return { cycles: items, nextCursor };
}

/** The cycle that is charged next, where one is to come. */
function scheduledOf({ order, state }: StoredPlan) {
  const dueAtMs = state.status === 'active' ? nextDueOf(order, state) : undefined;
  if (dueAtMs === undefined) return [];
  const { id: planId, merchantId, amountSen } = order;
  return [toScheduledMessage({ planId, cycle: state.nextCycle, merchantId, amountSen, dueAtMs })];
}
