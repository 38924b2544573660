import { paymentLinkSchema } from '@gerbang/present';
import { z } from 'zod';
import { ofAccount } from '../../http/fields.ts';
import { operation } from '../../http/operation.ts';
import { dataOfLink, linkFields } from './fields.ts';

const body = z.object({ ...linkFields, required_customer_detail: linkFields.required_customer_detail.default(false) });

/** POST payment-link-manage/{account_id} (contract §5). Refusals: validation, and those of money-in. */
export const createPaymentLink = operation({
  id: 'createPaymentLink',
  summary: 'Create a payment link',
  description: 'Customers pay at `payment_url`, by any method or by those of `payment_methods`.',
  input: z.object({ params: ofAccount, body }),
  data: paymentLinkSchema,
  status: 201,
  creates: true,
  links: {
    showPaymentLink: { account_id: '$request.path.account_id', payment_link_id: '$response.body#/data/id' },
    showPaymentLinkV2: { account_id: '$request.path.account_id', payment_link_id: '$response.body#/data/id' },
    updatePaymentLink: { account_id: '$request.path.account_id', payment_link_id: '$response.body#/data/id' },
    deletePaymentLink: { account_id: '$request.path.account_id', payment_link_id: '$response.body#/data/id' },
  },
  refusals: ['frozen'],
  async handle({ paymentLinks }, { caller, params, body: asked, idempotencyKey }) {
    const { paymentLink, replayed } = await paymentLinks.createPaymentLink({
      merchantId: caller.merchantId,
      accountId: params.account_id,
      title: asked.title,
      description: asked.description ?? '',
      amountSen: asked.amount,
      requiredCustomerDetail: asked.required_customer_detail,
      successRedirectUrl: asked.success_redirect_url ?? '',
      paymentMethods: asked.payment_methods ?? [],
      ...(asked.max_usage !== undefined && { maxUsage: asked.max_usage }),
      ...(asked.expired_at !== undefined && { expiredAtMs: asked.expired_at }),
      ...(idempotencyKey !== undefined && { idempotencyKey }),
    });
    return { data: dataOfLink(paymentLink), replayed };
  },
});
