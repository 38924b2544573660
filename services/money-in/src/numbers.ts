import type { Store } from '@gerbang/store';
import type { Context } from './context.ts';
import { openClaims } from './payable/claims.ts';
import { openSequence } from './payable/sequence.ts';
import type { PayableStore } from './payable/store.ts';

/** Opens the numbers that are unique, and the numbers that ascend. */
export function openNumbers(store: Store, payables: PayableStore): Pick<Context, 'claims' | 'numbers'> {
  return {
    claims: openClaims(store, async (id) => {
      const found = await payables.find(id);
      if (found === undefined) return 'missing';
      return found.state.status === 'active' ? 'active' : (found.state.endedAtMs ?? 'active');
    }),
    numbers: { qris: openSequence(store, 'qris'), link: openSequence(store, 'link'), history: openSequence(store, 'history') },
  };
}
