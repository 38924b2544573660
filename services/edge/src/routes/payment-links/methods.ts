import { presentPaymentMethods } from '@gerbang/present';
import type { Handler } from '../../http/route.ts';

/**
 * GET payment-link-manage/payment-methods: every method, and the codes of those that customers can pay by here (merchant-api.md,
 * payment link). Refusals: those of money-in.
 */
export const listPaymentMethods: Handler = async ({ paymentLinks }) => {
  const { codes } = await paymentLinks.listPayableMethods({});
  return { data: presentPaymentMethods(codes) };
};
