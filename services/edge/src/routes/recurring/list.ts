import { PlanStatus, pageSchema, planSchema, planStatusOf, presentPlan } from '@gerbang/present';
import { PlanStatus as Status } from '@gerbang/proto/gerbang/cards/v1/plans';
import { z } from 'zod';
import { ofAccount } from '../../http/fields.ts';
import { listQuery, page } from '../../http/list-query.ts';
import { operation } from '../../http/operation.ts';

const query = z.object({
  ...listQuery,
  status: z
    .enum(PlanStatus.options, 'must be a status of a plan')
    .meta({ description: 'Only those with this status.' })
    .transform(planStatusOf)
    .optional(),
});

/** GET /api/v2.0/recurring/{account_id}/plans (contract §7): newest first. Refusals: validation, and those of cards. */
export const listPlans = operation({
  id: 'listPlans',
  summary: 'List the subscriptions of an account',
  input: z.object({ params: ofAccount, query }),
  data: pageSchema(planSchema),
  async handle({ plans }, { caller, params, query: { limit, cursor, status, from, to } }) {
    const found = await plans.listPlans({
      merchantId: caller.merchantId,
      accountId: params.account_id,
      limit,
      cursor,
      status: status ?? Status.UNSPECIFIED,
      ...(from !== undefined && { fromMs: from }),
      ...(to !== undefined && { toMs: to }),
    });
    return { data: page(found.plans.map(presentPlan), found.nextCursor) };
  },
});
