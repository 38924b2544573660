import { z } from 'zod';
import { idempotencyKeyOf } from '../../http/idempotency.ts';
import type { Handler } from '../../http/route.ts';
import { validate } from '../../http/validation.ts';
import { dataOfLink, linkFields } from './fields.ts';

const body = z.object({ ...linkFields, required_customer_detail: linkFields.required_customer_detail.default(false) });

/** POST payment-link-manage/{account_id} (contract §5). Refusals: validation, and those of money-in. */
export const createPaymentLink: Handler = async ({ paymentLinks }, call) => {
  const idempotencyKey = idempotencyKeyOf(call);
  const asked = validate(body, call.body);
  const { paymentLink, replayed } = await paymentLinks.createPaymentLink({
    merchantId: call.caller.merchantId,
    accountId: call.params.account_id ?? '',
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
  return { data: dataOfLink(paymentLink), status: 201, replayed };
};
