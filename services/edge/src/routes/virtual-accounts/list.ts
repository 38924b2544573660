import { presentVirtualAccount, VIRTUAL_ACCOUNT_WORDS } from '@gerbang/present';
import { page } from '../../http/list-query.ts';
import type { Handler } from '../../http/route.ts';
import { validate } from '../../http/validation.ts';
import { moneyInListQuery, toListQuery } from '../money-in-fields.ts';

const query = moneyInListQuery(VIRTUAL_ACCOUNT_WORDS);

/** GET virtual-accounts/{account_id}: newest first. Refusals: validation, and those of money-in. */
export const listVirtualAccounts: Handler = async ({ virtualAccounts }, call) => {
  const { status, ...asked } = validate(query, call.query);
  const found = await virtualAccounts.listVirtualAccounts({ query: toListQuery(call, asked), status });
  return { data: page(found.virtualAccounts.map(presentVirtualAccount), found.nextCursor) };
};
