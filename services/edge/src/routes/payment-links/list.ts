import { PAYMENT_LINK_WORDS, presentPaymentLink } from '@gerbang/present';
import { page } from '../../http/list-query.ts';
import type { Handler } from '../../http/route.ts';
import { validate } from '../../http/validation.ts';
import { moneyInListQuery, toListQuery } from '../money-in-fields.ts';

const query = moneyInListQuery(PAYMENT_LINK_WORDS);

/** GET payment-link-manage/{account_id}: newest first. Refusals: validation, and those of money-in. */
export const listPaymentLinks: Handler = async ({ paymentLinks }, call) => {
  const { status, ...asked } = validate(query, call.query);
  const found = await paymentLinks.listPaymentLinks({ query: toListQuery(call, asked), status });
  return { data: page(found.paymentLinks.map(presentPaymentLink), found.nextCursor) };
};
