import { pageSchema, presentQrisTransaction, QRIS_WORDS, qrisTransactionSchema } from '@gerbang/present';
import { z } from 'zod';
import { ofAccount } from '../../http/fields.ts';
import { page } from '../../http/list-query.ts';
import { operation } from '../../http/operation.ts';
import { moneyInListQuery, toListQuery } from '../money-in-fields.ts';

/** GET qris-dynamic/{account_id}/list: newest first. Refusals: validation, and those of money-in. */
export const listQris = operation({
  id: 'listQris',
  summary: 'List QRIS transactions',
  input: z.object({ params: ofAccount, query: moneyInListQuery(QRIS_WORDS) }),
  data: pageSchema(qrisTransactionSchema),
  async handle({ qris }, call) {
    const { status } = call.query;
    const found = await qris.listQris({ query: toListQuery(call), status });
    return { data: page(found.qrisTransactions.map(presentQrisTransaction), found.nextCursor) };
  },
});
