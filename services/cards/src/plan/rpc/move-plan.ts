import { type MovePlanRequest, PlanMove } from '@gerbang/proto/gerbang/cards/v1/plans';
import { CARD, type Context } from '../../context.ts';
import { changePlan, findOwnPlan } from '../change.ts';
import { shownPlan } from '../own-card.ts';
import type { PlanCommand } from '../state.ts';

/** Pauses, resumes or cancels a plan. Refusals: those of the service's contract. */
export async function movePlan(context: Context, { merchantId, accountId, planId, move }: MovePlanRequest) {
  await context.merchants.admit(merchantId, CARD, accountId);
  const found = await findOwnPlan(context, { merchantId, accountId, planId });
  const { plan } = await shownPlan(context, await changePlan(context, found, { type: commandOf(move) }));
  return { plan };
}

function commandOf(move: PlanMove): Extract<PlanCommand['type'], 'pause' | 'resume' | 'cancel'> {
  switch (move) {
    case PlanMove.PAUSE:
      return 'pause';
    case PlanMove.RESUME:
      return 'resume';
    case PlanMove.CANCEL:
      return 'cancel';
    case PlanMove.UNSPECIFIED:
      throw new Error('a plan is to make no move');
    default:
      return move satisfies never;
  }
}
