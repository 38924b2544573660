import { Intent } from '@gerbang/proto/gerbang/ledger/v1/ledger';
import { retryConflicts } from '@gerbang/store';
import type { SagaContext } from '../transfer/change.ts';
import { countOrder } from '../transfer/count.ts';
import { isRefused } from '../transfer/posting.ts';
import type { LimitPeriod } from '../transfer/quota.ts';
import { ACCOUNT_TRANSFER, type AccountTransferCommand, type AccountTransferOrder, decide } from './account-transfer.ts';
import type { StoredAccountTransfer } from './document.ts';
import type { AccountTransferStore } from './store.ts';

/** What account transfers are done with. */
export type AccountTransferContext = Pick<SagaContext, 'ledger' | 'clock' | 'log' | 'metrics'> & {
  accountTransfers: AccountTransferStore;
};

/** Whether the ledger has refused for good: the posting key is used up, and no money has moved. */
export function isLasting(error: unknown): boolean {
  return isRefused(error, ['insufficient_balance', 'account_limit']);
}

/**
 * Takes a created transfer to its end: it is counted against its merchant's quota, the ledger moves both accounts in one posting, always under the same posting key, then
 * that is written down. Refusals: insufficient_balance, account_limit (the transfer is gone and its reference free again);
 * unavailable, timeout (its timer takes it up).
 */
export async function complete(context: AccountTransferContext, created: StoredAccountTransfer): Promise<StoredAccountTransfer> {
  const { accountTransfers } = context;
  const { markCounted: mark, remove, find } = accountTransfers;
  const refused = (period: LimitPeriod) => context.metrics.limitRefused(ACCOUNT_TRANSFER, period);
  const transfer = await countOrder(accountTransfers.spendings, ACCOUNT_TRANSFER, created, { mark, remove, refused, find });
  if (transfer.state.status !== 'created') return transfer;
  const [balanceAfterSen, possibleDuplicateOf] = await Promise.all([
    post(context, transfer),
    accountTransfers.payments.findDuplicate(transfer.document),
  ]);
  return finish(context, transfer, { type: 'succeed', balanceAfterSen, possibleDuplicateOf });
}

/** Available balance of the source right after the posting, sen. */
async function post({ ledger, accountTransfers }: AccountTransferContext, created: StoredAccountTransfer): Promise<bigint> {
  const { order } = created;
  try {
    const posted = await ledger.post({
      ...posting(order),
      intent: Intent.TRANSFER,
      postingKey: `${order.transactionId}:transfer`,
    });
    return posted.availableAfterSen;
  } catch (error) {
    if (isLasting(error)) await accountTransfers.remove(created);
    throw error;
  }
}

/** Writes the end; only its writer logs and counts it. */
async function finish(
  context: AccountTransferContext,
  created: StoredAccountTransfer,
  succeed: AccountTransferCommand,
): Promise<StoredAccountTransfer> {
  const { transactionId, merchantId } = created.order;
  const { transfer, isWritten } = await retryConflicts({
    first: created,
    read: () => readAgain(context, created.order),
    write: async (current) => {
      const nowMs = context.clock.now();
      const events = decide(current.state, succeed, nowMs);
      if (events.length === 0) return { transfer: current, isWritten: false };
      const finished = await context.accountTransfers.apply(current, events, nowMs);
      return finished && { transfer: finished, isWritten: true };
    },
  });
  if (isWritten) {
    context.metrics.accountTransferred();
    if (succeed.possibleDuplicateOf !== undefined) context.metrics.possiblyDuplicated(ACCOUNT_TRANSFER);
    context.log.info({ transaction_id: transactionId, merchant_id: merchantId }, 'account transfer finished');
  }
  return transfer;
}

async function readAgain(
  { accountTransfers }: AccountTransferContext,
  { accountId, referenceNumber, transactionId }: AccountTransferOrder,
): Promise<StoredAccountTransfer> {
  const again = await accountTransfers.find(accountId, referenceNumber);
  if (again?.order.transactionId !== transactionId)
    throw new Error(`account transfer ${transactionId} has vanished while it was worked on`);
  return again;
}

function posting(order: AccountTransferOrder) {
  return {
    merchantId: order.merchantId,
    partition: order.partition,
    accountId: order.accountId,
    destinationAccountId: order.destinationAccountId,
    amountSen: order.amountSen,
    product: ACCOUNT_TRANSFER,
    transactionId: order.transactionId,
    referenceNumber: order.referenceNumber,
    description: order.note,
  };
}
