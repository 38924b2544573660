import { pageSchema, presentVirtualAccount, VIRTUAL_ACCOUNT_WORDS, virtualAccountSchema } from '@gerbang/present';
import { z } from 'zod';
import { ofAccount } from '../../http/fields.ts';
import { page } from '../../http/list-query.ts';
import { operation } from '../../http/operation.ts';
import { moneyInListQuery, toListQuery } from '../money-in-fields.ts';

/** GET virtual-accounts/{account_id}: newest first. Refusals: validation, and those of money-in. */
export const listVirtualAccounts = operation({
  id: 'listVirtualAccounts',
  summary: 'List virtual accounts',
  input: z.object({ params: ofAccount, query: moneyInListQuery(VIRTUAL_ACCOUNT_WORDS) }),
  data: pageSchema(virtualAccountSchema),
  async handle({ virtualAccounts }, call) {
    const { status } = call.query;
    const found = await virtualAccounts.listVirtualAccounts({ query: toListQuery(call), status });
    return { data: page(found.virtualAccounts.map(presentVirtualAccount), found.nextCursor) };
  },
});
