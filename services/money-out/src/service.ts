import type { Clock } from '@gerbang/core';
import { LedgerService } from '@gerbang/proto/gerbang/ledger/v1/ledger';
import { openReconciliations } from '@gerbang/reconciliation';
import { BackgroundWork, type Closeable } from '@gerbang/runtime';
import { assembleService, openClock } from '@gerbang/service';
import { openRelay } from '@gerbang/service/events';
import { implementKeys, openKeys } from '@gerbang/service/keys';
import { openMerchants } from '@gerbang/service/merchants';
import { openOperatorGate } from '@gerbang/service/operators';
import { openLedger, type Served, serveRpc } from '@gerbang/service/rpc';
import { openStore, openTimer } from '@gerbang/service/store';
import { openIdempotencyKeys } from '@gerbang/store';
import { openAccountTransferStore } from './account-transfer/store.ts';
import { withdrawalCodes } from './cardless-withdrawal/sealed-place.ts';
import type { Config } from './config.ts';
import type { Context } from './context.ts';
import { createTransferMetrics } from './metrics.ts';
import { type MoneyOutDocument, onDue } from './on-due.ts';
import { createProducts, historiesOf, openRails } from './products.ts';
import { openInquiries } from './qris-payment/inquiry.ts';
import { openReconciledRails } from './reconciliation/rails.ts';
import { implementations } from './rpc.ts';
import { TRANSFERS } from './transfer/reference.ts';
import { openTransferStore } from './transfer/store.ts';

/** Longer than a timer's whole work: a call to the rail, an inquiry and the ledger. */
const LEASE_MS = 20_000;

export type Service = Served & Closeable;

/** Starts the service; `clock` replaces the business clock in tests. */
export function startService(config: Config, options: { clock?: Clock } = {}): Promise<Service> {
  return assembleService({ name: 'money-out', config }, async (foundation) => {
    const { log, registry, closing } = foundation;
    const clock = await openClock(foundation, options.clock);
    const store = await openStore(foundation);
    const { bus, relay } = openRelay(foundation, store, clock);
    const rails = openRails(foundation);
    const keys = await openKeys(foundation, ['withdrawal-code']);
    const products = createProducts(rails, { keys });
    const context: Context = {
      products,
      rails,
      transfers: await openTransferStore(store, Object.values(products), relay.afterWrite),
      accountTransfers: await openAccountTransferStore(store, relay.afterWrite),
      inquiries: await openInquiries(store),
      ledger: openLedger(foundation).client(LedgerService),
      merchants: openMerchants(foundation, bus),
      clock,
      log,
      metrics: createTransferMetrics(registry),
      railTimeoutMs: config.RAIL_TIMEOUT_MS,
      idempotencyKeys: await openIdempotencyKeys(store, clock),
      inProgress: new Set(),
      background: new BackgroundWork(),
    };
    closing.push('calls to the rail', () => context.background.settled());
    await openTimer(foundation, 'timer', {
      collection: store.collection<MoneyOutDocument>(TRANSFERS),
      clock,
      leaseMs: LEASE_MS,
      handle: (document) => onDue(context, document),
    });
    const { transfers } = context;
    const reading = { pageTimeoutMs: config.HISTORY_TIMEOUT_MS, transfers, nowMs: clock.now, log };
    const reconciled = openReconciledRails(historiesOf(config, products), reading);
    const gate = openOperatorGate(foundation);
    const reconciliations = await openReconciliations({ store, rails: reconciled, clock, gate, registry, log });
    closing.push('reconciliations', () => reconciliations.close());
    const forKeys = implementKeys([withdrawalCodes({ store, keys, log })], gate);
    const served = [
      ...implementations(context, gate),
      ...relay.serve([TRANSFERS], gate),
      reconciliations.implementation,
      forKeys,
    ];
    return serveRpc(foundation, { implementations: served, store });
  });
}
