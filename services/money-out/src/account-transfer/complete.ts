import { type RefusalCode, RefusalError } from '@gerbang/core';
import { Intent } from '@gerbang/proto/gerbang/ledger/v1/ledger';
import type { SagaContext } from '../transfer/saga.ts';
import { decide } from './account-transfer.ts';
import type { AccountTransferOrder, AccountTransferStore, StoredAccountTransfer } from './store.ts';

/** What account transfers are carried out with. */
export type AccountTransferContext = Pick<SagaContext, 'ledger' | 'clock' | 'log' | 'metrics'> & {
  accountTransfers: AccountTransferStore;
};

/** Attempts at a write that others may win before it is left to the timer. */
const CONFLICTS_MAX = 5;

const LASTING: readonly RefusalCode[] = ['insufficient_balance', 'account_limit'];

/** Whether the ledger has refused for ever: the posting key is burnt, and no money has moved. */
export function isLasting(error: unknown): boolean {
  return error instanceof RefusalError && LASTING.includes(error.refusal.refused);
}

/**
 * Takes a created transfer to its end: the ledger moves both accounts in one posting, under one posting key whoever asks, then that is written down.
 * Refusals: insufficient_balance, account_limit (the transfer is gone and its reference free again); unavailable, timeout (its timer takes it up).
 */
export async function complete(context: AccountTransferContext, created: StoredAccountTransfer): Promise<StoredAccountTransfer> {
  if (created.state.status !== 'created') return created;
  return finish(context, created, await post(context, created));
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

async function finish(
  context: AccountTransferContext,
  created: StoredAccountTransfer,
  balanceAfterSen: bigint,
): Promise<StoredAccountTransfer> {
  const { accountId, referenceNumber, transactionId, merchantId } = created.order;
  let current = created;
  for (let attempt = 0; attempt < CONFLICTS_MAX; attempt++) {
    const nowMs = context.clock.now();
    const events = decide(current.state, { type: 'succeed', balanceAfterSen }, nowMs);
    if (events.length === 0) return current;
    const finished = await context.accountTransfers.apply(current, events, nowMs);
    if (finished !== undefined) {
      context.metrics.accountTransferred();
      context.log.info({ transaction_id: transactionId, merchant_id: merchantId }, 'account transfer finished');
      return finished;
    }
    const again = await context.accountTransfers.find(accountId, referenceNumber);
    if (again?.order.transactionId !== transactionId) {
      throw new Error(`account transfer ${transactionId} has vanished while it was worked on`);
    }
    current = again;
  }
  throw new Error(`account transfer ${transactionId} changes too often`);
}

function posting(order: AccountTransferOrder) {
  return {
    merchantId: order.merchantId,
    partition: order.partition,
    accountId: order.accountId,
    destinationAccountId: order.destinationAccountId,
    amountSen: order.amountSen,
    product: 'account-transfer',
    transactionId: order.transactionId,
    referenceNumber: order.referenceNumber,
    description: order.note,
  };
}
