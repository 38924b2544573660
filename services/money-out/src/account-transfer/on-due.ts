import { type AccountTransferContext, complete, isLasting } from './complete.ts';
import type { StoredAccountTransfer } from './document.ts';

/**
 * Takes up an account transfer whose process died before it was done. Runs at least once; it is idempotent by its posting key.
 */
export async function onAccountTransferDue(context: AccountTransferContext, transfer: StoredAccountTransfer): Promise<void> {
  try {
    await complete(context, transfer);
  } catch (error) {
    // Refused, for instance for want of balance: the transfer is gone, as if it had never been ordered.
    if (!isLasting(error)) throw error;
  }
}
