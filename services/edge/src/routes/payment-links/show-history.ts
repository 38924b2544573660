import { numberInPath } from '../../http/fields.ts';
import type { Handler } from '../../http/route.ts';
import { dataOfHistory } from './fields.ts';

/** GET payment-link-histories/{account_id}/{history_id}. Refusals: those of money-in. */
export const showHistory: Handler = async ({ paymentLinks }, { caller, params }) => {
  const { account_id: accountId = '', history_id: id = '' } = params;
  const asked = { merchantId: caller.merchantId, accountId, id: numberInPath(id) };
  const { paymentLinkHistory } = await paymentLinks.getPaymentLinkHistory(asked);
  return { data: dataOfHistory(paymentLinkHistory) };
};
