import { planSchema, presentPlan } from '@gerbang/present';
import { z } from 'zod';
import { operation } from '../../http/operation.ts';
import { planInPath } from './fields.ts';

/** GET /api/v2.0/recurring/{account_id}/plans/{plan_id} (contract §7). Refusals: those of cards. */
export const showPlan = operation({
  id: 'showPlan',
  summary: 'Show a subscription',
  input: z.object({ params: planInPath }),
  data: planSchema,
  refusals: ['transaction_not_found'],
  async handle({ plans }, { caller, params }) {
    const own = { merchantId: caller.merchantId, accountId: params.account_id, planId: params.plan_id };
    const { plan } = await plans.getPlan(own);
    if (plan === undefined) throw new Error('cards answered no plan');
    return { data: presentPlan(plan) };
  },
});
