import { presentQrisTransaction, QRIS_WORDS } from '@gerbang/present';
import { page } from '../../http/list-query.ts';
import type { Handler } from '../../http/route.ts';
import { validate } from '../../http/validation.ts';
import { moneyInListQuery, toListQuery } from '../money-in-fields.ts';

const query = moneyInListQuery(QRIS_WORDS);

/** GET qris-dynamic/{account_id}/list: newest first. Refusals: validation, and those of money-in. */
export const listQris: Handler = async ({ qris }, call) => {
  const { status, ...asked } = validate(query, call.query);
  const found = await qris.listQris({ query: toListQuery(call, asked), status });
  return { data: page(found.qrisTransactions.map(presentQrisTransaction), found.nextCursor) };
};
