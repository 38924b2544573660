import type { Context } from '../context.ts';
import { changeDiscrepancy } from './change.ts';
import type { StoredDiscrepancy } from './document.ts';
import { postDecision, postToSuspense } from './postings.ts';

/**
 * Has the ledger book what is told or decided; each step is idempotent by its key, and is begun again by the timer where this
 * process dies. Refusals: unavailable, timeout.
 */
export async function advanceDiscrepancy(context: Context, discrepancy: StoredDiscrepancy): Promise<StoredDiscrepancy> {
  const { order, state } = discrepancy;
  switch (state.status) {
    case 'booking':
      await postToSuspense(context, order, state.kind);
      return (await changeDiscrepancy(context, discrepancy, { type: 'book' })).discrepancy;
    case 'moving': {
      const isMoved = await postDecision(context, order, state.decision, state.refusals + 1);
      return (await changeDiscrepancy(context, discrepancy, { type: isMoved ? 'finish' : 'refuse' })).discrepancy;
    }
    case 'watching':
    case 'open':
    case 'closed':
    case 'decided':
      return discrepancy;
    default:
      return state satisfies never;
  }
}
