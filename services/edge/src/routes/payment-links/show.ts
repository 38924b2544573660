import { paymentLinkSchema } from '@gerbang/present';
import { z } from 'zod';
import { operation } from '../../http/operation.ts';
import { dataOfLink, linkParams } from './fields.ts';

/**
 * GET payment-link-manage/{account_id}/{payment_link_id}, v1.0 and v2.0 (both in the v1 envelope). Refusals: those of money-in.
 */
export const showPaymentLink = operation({
  id: 'showPaymentLink',
  summary: 'Show a payment link',
  input: z.object({ params: linkParams }),
  data: paymentLinkSchema,
  refusals: ['transaction_not_found'],
  async handle({ paymentLinks }, { caller, params: { account_id: accountId, payment_link_id: id } }) {
    const { paymentLink } = await paymentLinks.getPaymentLink({ merchantId: caller.merchantId, accountId, id });
    return { data: dataOfLink(paymentLink) };
  },
});
