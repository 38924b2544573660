import { type Clock, isRefusal, RefusalError } from '@gerbang/core';
import type { Keys } from '@gerbang/keys';
import type { LedgerService } from '@gerbang/proto/gerbang/ledger/v1/ledger';
import type { PrepaidRail } from '@gerbang/rails/prepaid';
import type { RpcClient } from '@gerbang/rpc';
import type { Logger } from '@gerbang/runtime';
import { retryConflicts } from '@gerbang/store';
import type { Metrics } from '../metrics.ts';
import type { StoredPurchase } from './document.ts';
import type { GivenTokens } from './given-tokens.ts';
import { decide, evolve, type PurchaseCommand, type PurchaseEvent } from './purchase.ts';
import type { PurchaseStore } from './store.ts';

/** What a purchase is made with. */
export type PurchaseContext = {
  purchases: PurchaseStore;
  givenTokens: GivenTokens;
  ledger: Pick<RpcClient<typeof LedgerService>, 'post'>;
  rail: Pick<PrepaidRail, 'purchase'>;
  /** What tokens are sealed with. */
  keys: Keys<'prepaid-token'>;
  clock: Clock;
  log: Logger;
  metrics: Metrics;
  railTimeoutMs: number;
};

/**
 * Decides the commands, one after the other, and writes them as one; when another process has written meanwhile, decides anew on
 * what is there now. Gives the purchase as it then stands. Only the writer of an event logs and counts it. Refusals: those of the
 * decider, unavailable.
 */
export async function change(
  context: PurchaseContext,
  purchase: StoredPurchase,
  commands: readonly PurchaseCommand[],
): Promise<StoredPurchase> {
  const written = await retryConflicts({
    first: purchase,
    read: () => readAgain(context, purchase),
    write: async (current) => {
      const nowMs = context.clock.now();
      // A wait adds nothing to what another process has written meanwhile.
      const isOvertaken = current !== purchase && commands.some(({ type }) => type === 'wait');
      const events = isOvertaken ? [] : decideAll(current, commands, nowMs);
      if (events.length === 0) return { purchase: current, events };
      const after = await context.purchases.apply(current, events, nowMs);
      return after && { purchase: after, events };
    },
  });
  for (const event of written.events) observe(context, written.purchase, event);
  return written.purchase;
}

function decideAll({ state: first }: StoredPurchase, commands: readonly PurchaseCommand[], nowMs: number): PurchaseEvent[] {
  const events: PurchaseEvent[] = [];
  for (const command of commands) {
    const decided = decide(events.reduce(evolve, first), command, nowMs);
    if (isRefusal(decided)) throw new RefusalError(decided);
    events.push(...decided);
  }
  return events;
}

async function readAgain({ purchases }: PurchaseContext, { order }: StoredPurchase): Promise<StoredPurchase> {
  const again = await purchases.find(order.referenceNumber);
  if (again?.order.transactionId !== order.transactionId)
    throw new Error(`purchase ${order.transactionId} has vanished while it was worked on`);
  return again;
}

/** Logs and counts what has happened; a token is in no line. */
function observe({ log, metrics, clock }: PurchaseContext, { order }: StoredPurchase, event: PurchaseEvent): void {
  const fields = { transaction_id: order.transactionId, merchant_id: order.merchantId, product_code: order.productCode };
  switch (event.type) {
    case 'held':
      metrics.accepted(order.command);
      return;
    case 'waited':
      if (event.unresolvedAtMs === undefined) log.warn({ ...fields, reason: event.reason }, 'the outcome of a purchase is open');
      else log.error({ ...fields, reason: event.reason }, 'the outcome of a purchase stays unknown; operators decide');
      return;
    case 'succeeded':
    case 'failed':
      metrics.finished(order.command, event.type, clock.now() - order.createdAtMs);
      log.info({ ...fields, status: event.type }, 'purchase finished');
      return;
    case 'compensation-refused':
      log.error({ ...fields, reason: event.reason }, 'the ledger refuses a purchase that operators have confirmed');
      return;
    case 'resolution-proposed':
      return;
    default:
      event satisfies never;
  }
}
