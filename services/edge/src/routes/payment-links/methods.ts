import { paymentMethodsSchema, presentPaymentMethods } from '@gerbang/present';
import { z } from 'zod';
import { operation } from '../../http/operation.ts';

/**
 * GET payment-link-manage/payment-methods: every method, and the codes of those that customers of the merchant can pay by here
 * (merchant-api.md, payment link). Refusals: those of money-in.
 */
export const listPaymentMethods = operation({
  id: 'listPaymentMethods',
  summary: 'List payment methods',
  description: 'Every method, and the codes of those that customers of the merchant can pay by here.',
  input: z.object({}),
  data: paymentMethodsSchema,
  async handle({ paymentLinks }, { caller }) {
    const { codes } = await paymentLinks.listPayableMethods({ merchantId: caller.merchantId });
    return { data: presentPaymentMethods(codes) };
  },
});
