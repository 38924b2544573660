import type { Store } from '@gerbang/store';
import type { Context } from './context.ts';
import { openClaims } from './payment-request/claims.ts';
import { openSequences } from './payment-request/sequences.ts';
import type { PaymentRequestStore } from './payment-request/store.ts';

/**
 * Opens the numbers that are unique, and the numbers that ascend. A number is free again some time after its payment request has
 * ended.
 */
export function openNumbers(store: Store, paymentRequests: PaymentRequestStore): Pick<Context, 'claims' | 'numbers'> {
  return {
    claims: openClaims(store, async (id) => {
      const found = await paymentRequests.find(id);
      if (found === undefined) return 'missing';
      return found.state.status === 'active' ? 'active' : (found.state.endedAtMs ?? 'active');
    }),
    numbers: openSequences(store),
  };
}
