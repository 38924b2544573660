import type { Clock } from '@gerbang/core';
import { LedgerService } from '@gerbang/proto/gerbang/ledger/v1/ledger';
import { railFromConfig } from '@gerbang/rails';
import { openReconciliations } from '@gerbang/reconciliation';
import type { Closeable } from '@gerbang/runtime';
import { assembleService, openClock } from '@gerbang/service';
import { openRelay } from '@gerbang/service/events';
import { openMerchants } from '@gerbang/service/merchants';
import { openOperatorGate } from '@gerbang/service/operators';
import { openLedger, type Served, serveRpc } from '@gerbang/service/rpc';
import { openStore } from '@gerbang/service/store';
import { openIdempotencyKeys } from '@gerbang/store';
import type { Config } from './config.ts';
import type { Context } from './context.ts';
import { listKinds } from './kinds.ts';
import { createMoneyInMetrics } from './metrics.ts';
import { openNumbers } from './numbers.ts';
import { openPaymentStore, PAYMENTS } from './payment/store.ts';
import { openPaymentRequestStore, PAYMENT_REQUESTS } from './payment-request/store.ts';
import { createAskRail } from './rail/ask.ts';
import { openRails, type Rails } from './rails.ts';
import { historyCredentials, openReconciledRails } from './reconciliation/rails.ts';
import { implementations } from './rpc.ts';
import { startTimers } from './timers.ts';

/** A rail that is asked what has become of a payment has so long, so that all questions of a batch fit into the lease. */
const ASK_TIMEOUT_MS = 5_000;

export type Service = Served & Closeable;

/** Starts the service; `clock` replaces the business clock and `rails` the acquirers in tests. */
export function startService(config: Config, options: { clock?: Clock; rails?: Rails } = {}): Promise<Service> {
  return assembleService({ name: 'money-in', config }, async (foundation) => {
    const { log, registry, closing } = foundation;
    const clock = await openClock(foundation, options.clock);
    const store = await openStore(foundation);
    const { bus, relay } = openRelay(foundation, store, clock);
    const kinds = listKinds(config);
    const paymentRequests = await openPaymentRequestStore(store, kinds, relay.afterWrite);
    const rails = options.rails ?? openRails(config);
    closing.push('rail of QRIS', () => rails.qris.close());
    closing.push('rail of e-wallets', () => rails.ewallet.close());
    const payments = await openPaymentStore(store, relay.afterWrite);
    const gate = openOperatorGate(foundation);
    const reconciledRails = openReconciledRails({
      config,
      credentials: (rail) =>
        rail === 'VA' || rail === 'RETAIL' ? historyCredentials(config, rail) : railFromConfig(config, rail),
      payments,
      log,
    });
    const reconciliations = await openReconciliations({ store, rails: reconciledRails, clock, gate, registry, log });
    closing.push('reconciliations', () => reconciliations.close());
    const context: Context = {
      kinds,
      paymentRequests,
      payments,
      ...openNumbers(store, paymentRequests),
      ledger: openLedger(foundation).client(LedgerService),
      merchants: openMerchants(foundation, bus),
      idempotencyKeys: await openIdempotencyKeys(store, clock),
      reconciled: reconciliations.reconciled,
      settlesAt: config.settlesAt,
      vaSeries: config.vaSeries,
      payUrl: config.PAY_URL,
      sessionMs: config.PAYMENT_LINK_SESSION_SECONDS * 1_000,
      holdMs: config.PAYMENT_LINK_HOLD_SECONDS * 1_000,
      suspensePartition: config.SUSPENSE_PARTITION,
      rails,
      askRail: createAskRail(kinds.rails, rails, { timeoutMs: Math.min(config.RAIL_TIMEOUT_MS, ASK_TIMEOUT_MS) }),
      railTimeoutMs: config.RAIL_TIMEOUT_MS,
      clock,
      log,
      metrics: createMoneyInMetrics(
        registry,
        kinds.rails.map(({ name }) => name),
      ),
    };
    await startTimers(foundation, context, store);
    const besides = [...relay.serve([PAYMENT_REQUESTS, PAYMENTS], gate), reconciliations.implementation];
    return serveRpc(foundation, { implementations: [...implementations(context, gate), ...besides], store });
  });
}
