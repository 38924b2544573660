import { type Clock, isRefusal, RefusalError } from '@gerbang/core';
import type { LedgerService } from '@gerbang/proto/gerbang/ledger/v1/ledger';
import type { RpcClient } from '@gerbang/rpc';
import type { Logger } from '@gerbang/runtime';
import { retryConflicts } from '@gerbang/store';
import type { Metrics } from '../metrics.ts';
import type { StoredTransfer } from './document.ts';
import type { TransferEvent } from './event.ts';
import type { TransferStore } from './store.ts';
import { decideAll, type TransferCommand } from './transfer.ts';

/** What the saga works with. */
export type SagaContext = {
  transfers: TransferStore;
  ledger: RpcClient<typeof LedgerService>;
  clock: Clock;
  log: Logger;
  metrics: Metrics;
  /** For a call to the rail, or for an inquiry. */
  railTimeoutMs: number;
};

/**
 * Decides the commands and writes them as one; when another process has written meanwhile, decides anew on what is there now.
 * Gives the transfer as it then stands. Only the writer of an event logs and counts it. Refusals: those of the decider,
 * unavailable.
 */
export async function change(
  context: SagaContext,
  transfer: StoredTransfer,
  commands: readonly TransferCommand[],
): Promise<StoredTransfer> {
  const written = await retryConflicts({
    first: transfer,
    read: () => readAgain(context, transfer),
    write: async (current) => {
      // A wait adds nothing to what another process has written meanwhile, unless it brings a receipt.
      const isOvertaken = current !== transfer && commands.some(isMereWait);
      const nowMs = context.clock.now();
      const events = isOvertaken ? [] : decideAll(current.state, commands, nowMs);
      if (isRefusal(events)) throw new RefusalError(events);
      if (events.length === 0) return { transfer: current, events };
      const after = await context.transfers.apply(current, events, nowMs);
      return after && { transfer: after, events };
    },
  });
  for (const event of written.events) observe(context, written.transfer, event);
  return written.transfer;
}

function isMereWait(command: TransferCommand): boolean {
  return command.type === 'wait' && Object.keys(command.receipt).length === 0;
}

async function readAgain({ transfers }: SagaContext, { order }: StoredTransfer): Promise<StoredTransfer> {
  const { accountId, referenceNumber, transactionId } = order;
  const again = await transfers.find(accountId, referenceNumber, { linearizable: true });
  if (again?.order.transactionId !== transactionId)
    throw new Error(`transfer ${transactionId} has vanished while it was worked on`);
  return again;
}

/** Logs and counts what has happened. */
function observe(context: SagaContext, transfer: StoredTransfer, event: TransferEvent): void {
  const { log, metrics, clock } = context;
  const { order, product } = transfer;
  const fields = { transaction_id: order.transactionId, merchant_id: order.merchantId, product: product.name };
  switch (event.type) {
    case 'sent':
      metrics.accepted();
      if (event.possibleDuplicateOf !== undefined) metrics.possiblyDuplicated(product.name);
      return;
    case 'waited': {
      const waiting = { ...fields, reason: event.reason };
      if (isAwaited(transfer, clock.now())) log.debug(waiting, 'a transfer waits for its beneficiary');
      else if (event.unresolvedAtMs === undefined) log.warn(waiting, 'the outcome of a transfer is not known yet');
      else log.error(waiting, 'the outcome of a transfer stays unknown; operators decide');
      return;
    }
    case 'succeeded':
    case 'failed':
    case 'canceled':
    case 'refunded':
      metrics.finished(transfer, event.type, clock.now());
      log.info({ ...fields, status: event.type }, 'transfer finished');
      return;
    case 'return-booked':
    case 'payment-booked': {
      const status = event.type === 'return-booked' ? 'refunded' : 'succeeded';
      metrics.corrected(transfer, status);
      log.info({ ...fields, status }, 'transfer corrected');
      return;
    }
    case 'refund-awaited':
      log.warn({ ...fields, reason: event.reason }, 'the rail has not said yet whether it gives a payment back');
      return;
    case 'refund-refused':
      log.warn({ ...fields, reason: event.reason }, 'a payment is not given back');
      return;
    case 'return-reported':
      if (event.isAsked) {
        log.info({ ...fields, reason: event.reason }, 'a payment has come back as operators wanted; a compensation is posted');
        return;
      }
      contradict(context, transfer, event);
      return;
    case 'payment-reported':
      contradict(context, transfer, event);
      return;
    case 'payment-refused':
      log.error({ ...fields, reason: event.reason }, 'the ledger refuses a payment that operators have confirmed');
      return;
    case 'cancel-requested':
    case 'resolution-proposed':
    case 'refund-requested':
    case 'payment-approved':
    case 'payment-dismissed':
      return;
    default:
      event satisfies never;
  }
}

type Contradiction = Extract<TransferEvent, { type: 'return-reported' | 'payment-reported' }>;

/** The rail has said otherwise before: an alert. */
function contradict({ log, metrics }: SagaContext, { order, product }: StoredTransfer, { type, reason }: Contradiction): void {
  metrics.contradicted(product.rail, type === 'return-reported' ? 'returned' : 'paid');
  const fields = { transaction_id: order.transactionId, merchant_id: order.merchantId, product: product.name };
  log.error({ ...fields, alert: 'rail_contradiction', reason }, contradictionText(type));
}

/** Whether it is used when its beneficiary likes, and that is still possible: that its outcome is open is as it should be. */
function isAwaited({ state, product, document }: StoredTransfer, nowMs: number): boolean {
  const expiresAtMs = product.cancel?.expiresAtMs(document);
  const hasReceipt = state.status === 'sent' && Object.keys(state.receipt).length > 0;
  return hasReceipt && expiresAtMs !== undefined && nowMs < expiresAtMs;
}

function contradictionText(type: Contradiction['type']): string {
  return type === 'return-reported'
    ? 'the rail has reported a transfer as paid, and now that the money came back; a compensation is posted'
    : 'the rail has reported a transfer as not paid, and now as paid; operators decide';
}
