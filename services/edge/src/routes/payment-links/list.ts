import { PAYMENT_LINK_WORDS, pageSchema, paymentLinkSchema, presentPaymentLink } from '@gerbang/present';
import { z } from 'zod';
import { ofAccount } from '../../http/fields.ts';
import { page } from '../../http/list-query.ts';
import { operation } from '../../http/operation.ts';
import { moneyInListQuery, toListQuery } from '../money-in-fields.ts';

/** GET payment-link-manage/{account_id}: newest first. Refusals: validation, and those of money-in. */
export const listPaymentLinks = operation({
  id: 'listPaymentLinks',
  summary: 'List payment links',
  input: z.object({ params: ofAccount, query: moneyInListQuery(PAYMENT_LINK_WORDS) }),
  data: pageSchema(paymentLinkSchema),
  async handle({ paymentLinks }, call) {
    const { status } = call.query;
    const found = await paymentLinks.listPaymentLinks({ query: toListQuery(call), status });
    return { data: page(found.paymentLinks.map(presentPaymentLink), found.nextCursor) };
  },
});
