import { accountSchema, accountStatusOf, pageSchema, presentAccount } from '@gerbang/present';
import { AccountStatus } from '@gerbang/proto/gerbang/merchant/v1/merchant';
import { z } from 'zod';
import { listQuery, page, referenceInQuery } from '../../http/list-query.ts';
import { operation } from '../../http/operation.ts';

const query = z.object({
  ...listQuery,
  status: z.enum(['active', 'inactive', 'frozen'], 'must be active, inactive or frozen').transform(accountStatusOf).optional(),
  merchant_reff_no: referenceInQuery.optional(),
});

/** GET accounts (contract §4): newest first. Refusals: validation. */
export const listAccounts = operation({
  id: 'listAccounts',
  summary: 'List accounts',
  input: z.object({ query }),
  data: pageSchema(accountSchema),
  async handle({ accounts }, { caller, query: { limit, cursor, status, merchant_reff_no, from, to } }) {
    const found = await accounts.listAccounts({
      merchantId: caller.merchantId,
      limit,
      cursor,
      status: status ?? AccountStatus.UNSPECIFIED,
      merchantReffNo: merchant_reff_no ?? '',
      ...(from !== undefined && { fromMs: from }),
      ...(to !== undefined && { toMs: to }),
    });
    return { data: page(found.accounts.map(presentAccount), found.nextCursor) };
  },
});
