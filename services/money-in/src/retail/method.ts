import { isRetailCode, newPaymentCode, randomDigits } from '@gerbang/core';
import type { Method } from '../payment-request/method.ts';
import { RETAIL } from './retail.ts';

/** A code to pay in cash at a shop. */
export const retailMethod: Method = {
  group: 'RETAIL',
  product: RETAIL,
  issue({ claims, clock }, { channel, requestId }) {
    if (!isRetailCode(channel)) return undefined;
    return claims.claim(RETAIL, () => newPaymentCode(channel, randomDigits), requestId, clock.now());
  },
};
