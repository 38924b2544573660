import { RefusalError } from '@gerbang/core';
import { holdFunds, inquire, type SagaContext, writeSent } from './saga.ts';
import type { StoredTransfer } from './stored-transfer.ts';

/** Transfers that this process is working on just now; their timer has nothing to do. */
export type InProgress = Set<string>;

/**
 * Takes up a transfer whose timer has fired: the rail is asked what became of it. One that is `created` may have been sent by a process that
 * died since, so it is held, which changes nothing where it was held before, and then inquired as well.
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
    const held = await holdFunds(context, transfer);
    context.metrics.accepted();
    await inquire(context, await writeSent(context, held));
  } catch (error) {
    // Refused for want of balance: the transfer is gone, as if it had never been asked for.
    if (!(error instanceof RefusalError) || error.refusal.refused !== 'insufficient_balance') throw error;
  }
}
