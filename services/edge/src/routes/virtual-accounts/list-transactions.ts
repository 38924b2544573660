import { pageSchema, presentVaTransaction, vaTransactionSchema } from '@gerbang/present';
import { z } from 'zod';
import { ofAccount } from '../../http/fields.ts';
import { listQuery, once, page } from '../../http/list-query.ts';
import { operation } from '../../http/operation.ts';
import { merchantReffNoFilter, toListQuery } from '../money-in-fields.ts';

const query = z.object({
  ...listQuery,
  merchant_reff_no: merchantReffNoFilter,
  virtual_account_id: once.meta({ description: 'Only payments of this virtual account.' }).default(''),
  status: z.enum(['success'], 'must be success').optional(),
});

/** GET va-transactions/{account_id}: payments of virtual accounts, newest first. Refusals: validation, and those of money-in. */
export const listVaTransactions = operation({
  id: 'listVaTransactions',
  summary: 'List payments of virtual accounts',
  input: z.object({ params: ofAccount, query }),
  data: pageSchema(vaTransactionSchema),
  links: {
    showVaTransaction: { account_id: '$request.path.account_id', id: '$response.body#/data/items/0/id' },
  },
  async handle({ virtualAccounts }, call) {
    const { virtual_account_id: virtualAccountId } = call.query;
    const found = await virtualAccounts.listVaTransactions({ query: toListQuery(call), virtualAccountId });
    return { data: page(found.vaTransactions.map(presentVaTransaction), found.nextCursor) };
  },
});
