import { ChargebackStatus, chargebackSchema, chargebackStatusOf, pageSchema, presentChargeback } from '@gerbang/present';
import { ChargebackStatus as Status } from '@gerbang/proto/gerbang/cards/v1/chargebacks';
import { z } from 'zod';
import { ofAccount } from '../../http/fields.ts';
import { listQuery, page } from '../../http/list-query.ts';
import { operation } from '../../http/operation.ts';

const query = z.object({
  ...listQuery,
  status: z
    .enum(ChargebackStatus.options, 'must be a status of a chargeback')
    .meta({ description: 'Only those with this status.' })
    .transform(chargebackStatusOf)
    .optional(),
});

/** GET /api/v2.0/card/{account_id}/chargebacks: newest first. Refusals: validation, and those of cards. */
export const listChargebacks = operation({
  id: 'listCardChargebacks',
  summary: 'List the chargebacks of an account',
  input: z.object({ params: ofAccount, query }),
  data: pageSchema(chargebackSchema),
  async handle({ chargebacks }, { caller, params, query: { limit, cursor, status, from, to } }) {
    const found = await chargebacks.listChargebacks({
      merchantId: caller.merchantId,
      accountId: params.account_id,
      limit,
      cursor,
      status: status ?? Status.UNSPECIFIED,
      ...(from !== undefined && { fromMs: from }),
      ...(to !== undefined && { toMs: to }),
    });
    return { data: page(found.chargebacks.map(presentChargeback), found.nextCursor) };
  },
});
