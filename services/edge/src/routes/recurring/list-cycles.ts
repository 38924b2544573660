import { cycleSchema, pageSchema, presentCycle } from '@gerbang/present';
import { z } from 'zod';
import { listQuery, page } from '../../http/list-query.ts';
import { operation } from '../../http/operation.ts';
import { planInPath } from './fields.ts';

const { limit, cursor } = listQuery;

/** GET /api/v2.0/recurring/{account_id}/plans/{plan_id}/cycles (contract §7): newest first. Refusals: validation, those of cards. */
export const listCycles = operation({
  id: 'listPlanCycles',
  summary: 'List the cycles of a subscription',
  description: 'The first one is the cycle that is charged next, where one is scheduled.',
  input: z.object({ params: planInPath, query: z.object({ limit, cursor }) }),
  data: pageSchema(cycleSchema),
  refusals: ['transaction_not_found'],
  async handle({ plans }, { caller, params, query }) {
    const own = { merchantId: caller.merchantId, accountId: params.account_id, planId: params.plan_id };
    const found = await plans.listCycles({ ...own, limit: query.limit, cursor: query.cursor });
    return { data: page(found.cycles.map(presentCycle), found.nextCursor) };
  },
});
