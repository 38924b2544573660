import { HISTORY_WORDS, historySchema, pageSchema, presentHistory } from '@gerbang/present';
import { z } from 'zod';
import { numberInQuery, ofAccount } from '../../http/fields.ts';
import { page } from '../../http/list-query.ts';
import { operation } from '../../http/operation.ts';
import { moneyInListQuery, toListQuery } from '../money-in-fields.ts';

const query = moneyInListQuery(HISTORY_WORDS).extend({
  payment_link_id: numberInQuery('Only openings of this payment link.').optional(),
});

/** GET payment-link-histories/{account_id}: newest first, of all links or one. Refusals: validation, and those of money-in. */
export const listHistories = operation({
  id: 'listPaymentLinkHistories',
  summary: 'List openings of payment links',
  description: 'Newest first, of all links of the account or of one.',
  input: z.object({ params: ofAccount, query }),
  data: pageSchema(historySchema),
  links: {
    showPaymentLinkHistory: { account_id: '$request.path.account_id', history_id: '$response.body#/data/items/0/id' },
  },
  async handle({ paymentLinks }, call) {
    const { status, payment_link_id } = call.query;
    const found = await paymentLinks.listPaymentLinkHistories({
      query: toListQuery(call),
      status,
      ...(payment_link_id !== undefined && { paymentLinkId: payment_link_id }),
    });
    return { data: page(found.paymentLinkHistories.map(presentHistory), found.nextCursor) };
  },
});
