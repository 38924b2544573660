import type { SagaContext } from './change.ts';
import type { StoredTransfer } from './document.ts';
import { compensate, isRefused } from './posting.ts';
import { askForRefund } from './refund.ts';
import { askToCancel, cancelTransfer, holdFunds, inquire, writeSent } from './saga.ts';

/** Transfers that this process is working on just now; their timer has nothing to do. */
export type InProgress = Set<string>;

/**
 * Takes up a transfer whose timer has fired. A sent one is inquired, or canceled when it has expired; one that is being canceled
 * is asked for again; one that has ended may have a compensation to book, or a refund to ask for. Runs at least once; every step is idempotent by its
 * key.
 */
export async function onTransferDue(context: SagaContext, inProgress: InProgress, transfer: StoredTransfer): Promise<void> {
  const { order, state } = transfer;
  if (inProgress.has(order.transactionId)) return;
  switch (state.status) {
    case 'created':
      await resumeCreated(context, transfer);
      return;
    case 'sent':
      await (hasExpired(context, transfer) ? cancelTransfer(context, transfer, 'expired') : inquire(context, transfer));
      return;
    case 'canceling':
      await askToCancel(context, transfer);
      return;
    case 'succeeded':
      await (state.refund === undefined ? compensate(context, transfer) : askForRefund(context, transfer, { firstSend: false }));
      return;
    case 'failed':
    case 'canceled':
    case 'refunded':
      await compensate(context, transfer);
      return;
    default:
      state satisfies never;
  }
}

/**
 * A process that died since may have sent the transfer. So it is held, which changes nothing where it was held before, and then
 * inquired as a sent one is.
 */
async function resumeCreated(context: SagaContext, transfer: StoredTransfer): Promise<void> {
  try {
    await inquire(context, await writeSent(context, await holdFunds(context, transfer)));
  } catch (error) {
    // The transfer is gone, as if it had never been ordered.
    if (!isRefused(error, ['insufficient_balance', 'account_limit'])) throw error;
  }
}

function hasExpired({ clock }: SagaContext, { product, document }: StoredTransfer): boolean {
  const expiresAtMs = product.cancel?.expiresAtMs(document);
  return expiresAtMs !== undefined && clock.now() >= expiresAtMs;
}
