import { AVAILABLE_PAYMENT_METHODS, PAYMENT_METHODS } from '@gerbang/core';
import type { Handler } from '../../http/route.ts';

/** GET payment-link-manage/payment-methods: every method, and the codes of those that customers can choose today (merchant-api.md, payment link). */
export const listPaymentMethods: Handler = async () => ({
  data: { payment_methods: [...PAYMENT_METHODS], available_codes: [...AVAILABLE_PAYMENT_METHODS] },
});
