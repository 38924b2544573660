import { mustFindCharge } from '../charge/change.ts';
import type { Context } from '../context.ts';
import { advanceDiscrepancy } from './advance.ts';
import { changeDiscrepancy } from './change.ts';
import { compareWithBank } from './compare.ts';
import type { StoredDiscrepancy } from './document.ts';
import { reportDiscrepancy } from './report.ts';

/** Takes up a discrepancy whose timer has fired: the bank is asked about what operators have decided. Runs at least once. */
export async function onDiscrepancyDue(context: Context, discrepancy: StoredDiscrepancy): Promise<void> {
  if (discrepancy.state.status === 'watching') await askAboutOutcome(context, discrepancy);
  else await advanceDiscrepancy(context, discrepancy);
}

/** Whether the bank agrees by now with what operators have decided. Gives false where it does not answer. */
export async function askAboutOutcome(context: Context, watched: StoredDiscrepancy): Promise<boolean> {
  const { chargeId, refundId, id } = watched.order;
  const charge = await mustFindCharge(context, chargeId);
  const said = await compareWithBank(context, charge, refundId);
  switch (said) {
    case 'surplus':
    case 'shortfall':
      await reportDiscrepancy(context, charge, refundId, said);
      return true;
    case 'agreed':
      await changeDiscrepancy(context, watched, { type: 'agree' });
      return true;
    case 'open':
    case 'silent': {
      const { discrepancy } = await changeDiscrepancy(context, watched, { type: 'wait' });
      if (discrepancy.state.status === 'closed')
        context.log.warn({ id, transaction_id: chargeId }, 'the bank has never said whether it agrees with operators');
      return said === 'open';
    }
    default:
      return said satisfies never;
  }
}
