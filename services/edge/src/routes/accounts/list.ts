import { accountStatusOf, presentAccount } from '@gerbang/present';
import { AccountStatus } from '@gerbang/proto/gerbang/merchant/v1/merchant';
import { z } from 'zod';
import { listQuery, page } from '../../http/list-query.ts';
import type { Handler } from '../../http/route.ts';
import { validate } from '../../http/validation.ts';

const query = z.object({
  ...listQuery,
  status: z
    .string('may be given once')
    .transform((name, problem) => {
      const status = accountStatusOf(name);
      if (status !== undefined) return status;
      problem.addIssue('must be active, inactive or frozen');
      return z.NEVER;
    })
    .optional(),
  merchant_reff_no: z.string('may be given once').optional(),
});

/** GET accounts (contract §4): newest first. Refusals: validation. */
export const listAccounts: Handler = async ({ accounts }, call) => {
  const { limit, cursor, status, merchant_reff_no, from, to } = validate(query, call.query);
  const found = await accounts.listAccounts({
    merchantId: call.caller.merchantId,
    limit,
    cursor,
    status: status ?? AccountStatus.UNSPECIFIED,
    merchantReffNo: merchant_reff_no ?? '',
    ...(from !== undefined && { fromMs: from }),
    ...(to !== undefined && { toMs: to }),
  });
  return { data: page(found.accounts.map(presentAccount), found.nextCursor) };
};
