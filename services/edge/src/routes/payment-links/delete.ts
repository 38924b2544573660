import { numberInPath } from '../../http/fields.ts';
import type { Handler } from '../../http/route.ts';
import { dataOfLink } from './fields.ts';

/**
 * DELETE payment-link-manage/{account_id}/{payment_link_id}: answers it as it now is (contract §5). Refusals: those of money-in.
 */
export const deletePaymentLink: Handler = async ({ paymentLinks }, { caller, params }) => {
  const { account_id: accountId = '', payment_link_id: id = '' } = params;
  const { paymentLink } = await paymentLinks.deletePaymentLink({
    merchantId: caller.merchantId,
    accountId,
    id: numberInPath(id),
  });
  return { data: dataOfLink(paymentLink) };
};
