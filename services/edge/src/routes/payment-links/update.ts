import { z } from 'zod';
import { numberInPath, orAbsent } from '../../http/fields.ts';
import type { Handler } from '../../http/route.ts';
import { validate } from '../../http/validation.ts';
import { dataOfLink, linkFields } from './fields.ts';

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
export const updatePaymentLink: Handler = async ({ paymentLinks }, call) => {
  const asked = validate(body, call.body);
  const { paymentLink } = await paymentLinks.updatePaymentLink({
    merchantId: call.caller.merchantId,
    accountId: call.params.account_id ?? '',
    id: numberInPath(call.params.payment_link_id ?? ''),
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
};
