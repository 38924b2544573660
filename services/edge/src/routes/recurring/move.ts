import { planSchema, presentPlan } from '@gerbang/present';
import { PlanMove } from '@gerbang/proto/gerbang/cards/v1/plans';
import { z } from 'zod';
import { operation } from '../../http/operation.ts';
import { planInPath } from './fields.ts';

/** POST /api/v2.0/recurring/{account_id}/plans/{plan_id}/pause (contract §7). Refusals: those of cards. */
export const pausePlan = moving(PlanMove.PAUSE, {
  id: 'pausePlan',
  summary: 'Pause a subscription',
  description:
    'Of an active plan. Cycles that fall due while it is paused are skipped; one that fell due before is still charged.',
});

/** POST …/resume (contract §7). Refusals: those of cards. */
export const resumePlan = moving(PlanMove.RESUME, {
  id: 'resumePlan',
  summary: 'Resume a subscription',
  description: 'Of a paused plan. The next cycle is the first one that is due after this.',
});

/** POST …/cancel (contract §7). Refusals: those of cards. */
export const cancelPlan = moving(PlanMove.CANCEL, {
  id: 'cancelPlan',
  summary: 'Cancel a subscription',
  description:
    'It is charged no more, and its card is deleted. Payments that were made stay; the first charge is voided where it ' +
    'succeeds only after this.',
});

function moving(move: PlanMove, about: { id: string; summary: string; description: string }) {
  return operation({
    ...about,
    input: z.object({ params: planInPath }),
    data: planSchema,
    refusals: ['transaction_not_found', 'transaction_failed', 'frozen'],
    async handle({ plans }, { caller, params }) {
      const own = { merchantId: caller.merchantId, accountId: params.account_id, planId: params.plan_id };
      const { plan } = await plans.movePlan({ ...own, move });
      if (plan === undefined) throw new Error('cards answered no plan');
      return { data: presentPlan(plan) };
    },
  });
}
