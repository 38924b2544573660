import { EWALLET_WORDS, ewalletCheckoutSchema, pageSchema, presentEwalletCheckout } from '@gerbang/present';
import { z } from 'zod';
import { ofAccount } from '../../http/fields.ts';
import { page } from '../../http/list-query.ts';
import { operation } from '../../http/operation.ts';
import { moneyInListQuery, toListQuery } from '../money-in-fields.ts';

/** GET ewallet-checkout/{account_id}: newest first. Refusals: validation, and those of money-in. */
export const listEwalletCheckouts = operation({
  id: 'listEwalletCheckouts',
  summary: 'List e-wallet checkouts',
  input: z.object({ params: ofAccount, query: moneyInListQuery(EWALLET_WORDS) }),
  data: pageSchema(ewalletCheckoutSchema),
  async handle({ ewalletCheckouts }, call) {
    const { status } = call.query;
    const found = await ewalletCheckouts.listEwalletCheckouts({ query: toListQuery(call), status });
    return { data: page(found.ewalletCheckouts.map(presentEwalletCheckout), found.nextCursor) };
  },
});
