import type { Context } from '../context.ts';
import { changeDiscrepancy } from './change.ts';
import { attemptOf } from './discrepancy.ts';
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
      const attempt = attemptOf(state);
      const isMoved = await postDecision(context, order, state.decision, attempt);
      const command = isMoved ? ({ type: 'finish' } as const) : ({ type: 'refuse', attempt } as const);
      return (await changeDiscrepancy(context, discrepancy, command)).discrepancy;
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
