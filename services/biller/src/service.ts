import type { Clock } from '@gerbang/core';
import { LedgerService } from '@gerbang/proto/gerbang/ledger/v1/ledger';
import { railFromConfig } from '@gerbang/rails';
import { openSnapPrepaid, type PrepaidRail } from '@gerbang/rails/prepaid';
import { BackgroundWork, type Closeable } from '@gerbang/runtime';
import { assembleService, type Foundation, openClock } from '@gerbang/service';
import { openRelay } from '@gerbang/service/events';
import { implementKeys, openKeys } from '@gerbang/service/keys';
import { openMerchants } from '@gerbang/service/merchants';
import { openOperatorGate } from '@gerbang/service/operators';
import { openLedger, type Served, serveRpc } from '@gerbang/service/rpc';
import { openStore, openTimer } from '@gerbang/service/store';
import { openIdempotencyKeys } from '@gerbang/store';
import type { Config } from './config.ts';
import type { Context } from './context.ts';
import { openInquiries } from './inquiry/store.ts';
import { createBillerMetrics } from './metrics.ts';
import { openProducts } from './product/store.ts';
import type { StoredPurchaseDocument } from './purchase/document.ts';
import { openGivenTokens } from './purchase/given-tokens.ts';
import { onPurchaseDue } from './purchase/on-due.ts';
import { purchaseTokens } from './purchase/sealed-place.ts';
import { openPurchases, PURCHASES } from './purchase/store.ts';
import { implementations } from './rpc.ts';

/** Longer than a timer's whole work: a call to the biller and the ledger. */
const LEASE_MS = 20_000;

export type Service = Served & Closeable;

/** Starts the service; `clock` replaces the business clock in tests. */
export function startService(config: Config, options: { clock?: Clock } = {}): Promise<Service> {
  return assembleService({ name: 'biller', config }, async (foundation) => {
    const { log, registry, closing } = foundation;
    const clock = await openClock(foundation, options.clock);
    const store = await openStore(foundation);
    const { bus, relay } = openRelay(foundation, store, clock);
    const keys = await openKeys(foundation, ['prepaid-token']);
    const purchases = await openPurchases(store, relay.afterWrite);
    const context: Context = {
      rail: openRail(foundation),
      purchases,
      products: await openProducts(store),
      inquiries: await openInquiries(store),
      givenTokens: openGivenTokens(store),
      ledger: openLedger(foundation).client(LedgerService),
      merchants: openMerchants(foundation, bus),
      keys,
      cutOff: config.cutOff,
      clock,
      log,
      metrics: createBillerMetrics(registry, purchases.countUnresolved),
      railTimeoutMs: config.RAIL_TIMEOUT_MS,
      idempotencyKeys: await openIdempotencyKeys(store, clock),
      inProgress: new Set(),
      background: new BackgroundWork(),
    };
    closing.push('calls to the biller', () => context.background.settled());
    await openTimer(foundation, 'timer', {
      collection: store.collection<StoredPurchaseDocument>(PURCHASES),
      clock,
      leaseMs: LEASE_MS,
      handle: (document) => onPurchaseDue(context, context.inProgress, purchases.fromDocument(document)),
    });
    const gate = openOperatorGate(foundation);
    const forKeys = implementKeys([purchaseTokens({ store, keys, log })], gate);
    const served = [...implementations(context, gate), forKeys, ...relay.serve([PURCHASES], gate)];
    return serveRpc(foundation, { implementations: served, store });
  });
}

function openRail({ config, closing }: Foundation<Config>): PrepaidRail {
  const rail = openSnapPrepaid(railFromConfig(config, 'BILLER'));
  closing.push('biller rail', () => rail.close());
  return rail;
}
