import { RefusalError } from '@gerbang/core';
import { holdFunds, inquire, type SagaContext, sendToRail } from './saga.ts';
import type { StoredTransfer } from './stored-transfer.ts';

/** Transfers that this process is working on just now; their timer has nothing to do. */
export type InProgress = Set<string>;

/**
 * Takes up a transfer whose timer has fired: one whose process died before it was accepted is held and sent, one that was sent is inquired.
 * Runs at least once; every step is idempotent by its key.
 */
export async function onTransferDue(context: SagaContext, inProgress: InProgress, transfer: StoredTransfer): Promise<void> {
  const { transactionId } = transfer.order;
  if (inProgress.has(transactionId)) return;
  switch (transfer.state.status) {
    case 'created':
      await resumeCreated(context, transfer);
      return;
    case 'sent':
      await inquire(context, transfer);
      return;
    case 'succeeded':
    case 'failed':
      return;
    default:
      transfer.state satisfies never;
  }
}

async function resumeCreated(context: SagaContext, transfer: StoredTransfer): Promise<void> {
  try {
    await sendToRail(context, await holdFunds(context, transfer), { firstSend: false });
  } catch (error) {
    // Refused for want of balance: the transfer is gone, as if it had never been asked for.
    if (!(error instanceof RefusalError) || error.refusal.refused !== 'insufficient_balance') throw error;
  }
}
