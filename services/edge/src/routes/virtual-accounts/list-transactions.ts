import { presentVaTransaction } from '@gerbang/present';
import { z } from 'zod';
import { listQuery, page } from '../../http/list-query.ts';
import type { Handler } from '../../http/route.ts';
import { validate } from '../../http/validation.ts';
import { toListQuery } from '../money-in-fields.ts';

const once = z.string('may be given once').default('');
const query = z.object({
  ...listQuery,
  merchant_reff_no: once,
  virtual_account_id: once,
  status: z.enum(['success'], 'must be success').optional(),
});

/** GET va-transactions/{account_id}: payments of virtual accounts, newest first. Refusals: validation, and those of money-in. */
export const listVaTransactions: Handler = async ({ virtualAccounts }, call) => {
  const { virtual_account_id: virtualAccountId, ...asked } = validate(query, call.query);
  const found = await virtualAccounts.listVaTransactions({ query: toListQuery(call, asked), virtualAccountId });
  return { data: page(found.vaTransactions.map(presentVaTransaction), found.nextCursor) };
};
