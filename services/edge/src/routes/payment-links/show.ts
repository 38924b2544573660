import { numberInPath } from '../../http/fields.ts';
import type { Handler } from '../../http/route.ts';
import { dataOfLink } from './fields.ts';

/**
 * GET payment-link-manage/{account_id}/{payment_link_id}, v1.0 and v2.0 (both in the v1 envelope). Refusals: those of money-in.
 */
export const showPaymentLink: Handler = async ({ paymentLinks }, { caller, params }) => {
  const { account_id: accountId = '', payment_link_id: id = '' } = params;
  const { paymentLink } = await paymentLinks.getPaymentLink({ merchantId: caller.merchantId, accountId, id: numberInPath(id) });
  return { data: dataOfLink(paymentLink) };
};
