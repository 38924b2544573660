import { paymentLinkSchema } from '@gerbang/present';
import { z } from 'zod';
import { operation } from '../../http/operation.ts';
import { dataOfLink, linkParams } from './fields.ts';

/**
 * DELETE payment-link-manage/{account_id}/{payment_link_id}: answers it as it now is (contract §5). Refusals: those of money-in.
 */
export const deletePaymentLink = operation({
  id: 'deletePaymentLink',
  summary: 'Delete a payment link',
  description: 'Answers the link as it now is: inactive. Customers can no longer open or pay it.',
  input: z.object({ params: linkParams }),
  data: paymentLinkSchema,
  refusals: ['transaction_not_found', 'frozen'],
  async handle({ paymentLinks }, { caller, params: { account_id: accountId, payment_link_id: id } }) {
    const { paymentLink } = await paymentLinks.deletePaymentLink({ merchantId: caller.merchantId, accountId, id });
    return { data: dataOfLink(paymentLink) };
  },
});
