import { EWALLET_WORDS, presentEwalletCheckout } from '@gerbang/present';
import { page } from '../../http/list-query.ts';
import type { Handler } from '../../http/route.ts';
import { validate } from '../../http/validation.ts';
import { moneyInListQuery, toListQuery } from '../money-in-fields.ts';

const query = moneyInListQuery(EWALLET_WORDS);

/** GET ewallet-checkout/{account_id}: newest first. Refusals: validation, and those of money-in. */
export const listEwalletCheckouts: Handler = async ({ ewalletCheckouts }, call) => {
  const { status, ...asked } = validate(query, call.query);
  const found = await ewalletCheckouts.listEwalletCheckouts({ query: toListQuery(call, asked), status });
  return { data: page(found.ewalletCheckouts.map(presentEwalletCheckout), found.nextCursor) };
};
