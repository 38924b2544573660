import { withinOr } from '@gerbang/runtime';
import { change } from './change.ts';
import type { StoredTransfer } from './document.ts';
import { ANSWER_AFTER_MS, type PlacingContext } from './place.ts';
import { isRefused } from './posting.ts';
import { askToCancel, holdFunds, writeSent } from './saga.ts';

/**
 * Cancels a transfer that a merchant wants canceled, and gives what it is when the rail has answered, or after 3 s: canceled,
 * still canceling, or ended otherwise; undefined where it was never accepted. One that has ended stays as it is. Refusals:
 * unavailable, timeout.
 */
export async function cancelOrder(context: PlacingContext, transfer: StoredTransfer): Promise<StoredTransfer | undefined> {
  const accepted = await accept(context, transfer);
  if (accepted === undefined) return undefined;
  const canceling = await change(context, accepted, [{ type: 'cancel', reason: 'canceled' }]);
  const { transactionId } = transfer.order;
  const running = askToCancel(context, canceling).catch((error: unknown) => {
    context.log.warn({ err: error, transaction_id: transactionId }, 'the cancellation of a transfer was left to its timer');
    return canceling;
  });
  context.background.add(running);
  return withinOr(ANSWER_AFTER_MS, running, canceling);
}

/** A transfer whose funds may not be held yet, with its funds held: only then is there something to cancel. */
async function accept(context: PlacingContext, transfer: StoredTransfer): Promise<StoredTransfer | undefined> {
  if (transfer.state.status !== 'created') return transfer;
  try {
    return await writeSent(context, await holdFunds(context, transfer));
  } catch (error) {
    if (isRefused(error, ['insufficient_balance', 'account_limit'])) return undefined;
    throw error;
  }
}
