import { paymentLinkSchema } from '@gerbang/present';
import { z } from 'zod';
import { orAbsent } from '../../http/fields.ts';
import { operation } from '../../http/operation.ts';
import { dataOfLink, linkFields, linkParams } from './fields.ts';

const body = z.object({
  ...linkFields,
  title: orAbsent(linkFields.title),
  amount: orAbsent(linkFields.amount),
  required_customer_detail: orAbsent(linkFields.required_customer_detail),
});

/**
 * PUT payment-link-manage/{account_id}/{payment_link_id}: the fields that the body has, of an active one. Refusals: validation,
 * and those of money-in.
 */
export const updatePaymentLink = operation({
  id: 'updatePaymentLink',
  summary: 'Change a payment link',
  description: 'Changes the fields that the body has, of an active link. A field that is null stays as it is.',
  input: z.object({ params: linkParams, body }),
  data: paymentLinkSchema,
  refusals: ['transaction_not_found', 'frozen'],
  async handle({ paymentLinks }, { caller, params, body: asked }) {
    const { paymentLink } = await paymentLinks.updatePaymentLink({
      merchantId: caller.merchantId,
      accountId: params.account_id,
      id: params.payment_link_id,
      ...(asked.title !== undefined && { title: asked.title }),
      ...(asked.description !== undefined && { description: asked.description }),
      ...(asked.amount !== undefined && { amountSen: asked.amount }),
      ...(asked.max_usage !== undefined && { maxUsage: asked.max_usage }),
      ...(asked.required_customer_detail !== undefined && { requiredCustomerDetail: asked.required_customer_detail }),
      ...(asked.expired_at !== undefined && { expiredAtMs: asked.expired_at }),
      ...(asked.success_redirect_url !== undefined && { successRedirectUrl: asked.success_redirect_url }),
      paymentMethods: asked.payment_methods ?? [],
    });
    return { data: dataOfLink(paymentLink) };
  },
});
