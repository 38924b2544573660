import { HISTORY_WORDS, presentHistory } from '@gerbang/present';
import { z } from 'zod';
import { numberInPath } from '../../http/fields.ts';
import { page } from '../../http/list-query.ts';
import type { Handler } from '../../http/route.ts';
import { validate } from '../../http/validation.ts';
import { moneyInListQuery, toListQuery } from '../money-in-fields.ts';

const query = moneyInListQuery(HISTORY_WORDS).extend({ payment_link_id: z.string('may be given once').optional() });

/** GET payment-link-histories/{account_id}: newest first, of all links or one. Refusals: validation, and those of money-in. */
export const listHistories: Handler = async ({ paymentLinks }, call) => {
  const { status, payment_link_id, ...asked } = validate(query, call.query);
  const found = await paymentLinks.listPaymentLinkHistories({
    query: toListQuery(call, asked),
    status,
    ...(payment_link_id !== undefined && { paymentLinkId: numberInPath(payment_link_id) }),
  });
  return { data: page(found.paymentLinkHistories.map(presentHistory), found.nextCursor) };
};
