import type { Clock } from '@gerbang/core';
import { LedgerService } from '@gerbang/proto/gerbang/ledger/v1/ledger';
import { railFromConfig } from '@gerbang/rails';
import { type DirectDebitRail, openSnapDirectDebit } from '@gerbang/rails/direct-debit';
import { BackgroundWork, type Closeable } from '@gerbang/runtime';
import { assembleService, openClock } from '@gerbang/service';
import { openRelay } from '@gerbang/service/events';
import { implementKeys, openKeys } from '@gerbang/service/keys';
import { openMerchants } from '@gerbang/service/merchants';
import { openOperatorGate } from '@gerbang/service/operators';
import { openLedger, type Served, serveRpc } from '@gerbang/service/rpc';
import { openStore, openTimer } from '@gerbang/service/store';
import { openIdempotencyKeys } from '@gerbang/store';
import type { StoredBindingDocument } from './binding/document.ts';
import { onBindingDue } from './binding/on-due.ts';
import { BINDINGS, openBindingStore } from './binding/store.ts';
import { onChargeDue } from './charge/advance.ts';
import type { StoredChargeDocument } from './charge/document.ts';
import { openQuotas } from './charge/quota-store.ts';
import { CHARGES, openChargeStore } from './charge/store.ts';
import type { Config } from './config.ts';
import type { Context } from './context.ts';
import type { StoredDiscrepancyDocument } from './discrepancy/document.ts';
import { onDiscrepancyDue } from './discrepancy/on-due.ts';
import { DISCREPANCIES, openDiscrepancyStore } from './discrepancy/store.ts';
import { createDirectDebitMetrics } from './metrics.ts';
import { openOtpCounts } from './otp/counts.ts';
import { implementations } from './rpc.ts';
import { createSealing } from './seal.ts';
import { sealedPlaces } from './sealed-places.ts';

/** Longer than a timer's whole work: calls to the bank, and the ledger. */
const LEASE_MS = 20_000;

export type Service = Served & Closeable;

/** Starts the service; `clock` replaces the business clock and `rail` the bank in tests. */
export function startService(config: Config, options: { clock?: Clock; rail?: DirectDebitRail } = {}): Promise<Service> {
  return assembleService({ name: 'direct-debit', config }, async (foundation) => {
    const { log, registry, closing } = foundation;
    const clock = await openClock(foundation, options.clock);
    const store = await openStore(foundation);
    const { bus, relay } = openRelay(foundation, store, clock);
    const keys = await openKeys(foundation, ['customer-data']);
    const rail = options.rail ?? openSnapDirectDebit(credentialsOf(config));
    closing.push('rail', () => rail.close());
    const charges = await openChargeStore(store, relay.afterWrite);
    const context: Context = {
      bindings: await openBindingStore(store, relay.afterWrite),
      charges,
      discrepancies: await openDiscrepancyStore(store),
      quotas: openQuotas(store, charges, clock),
      otpCounts: await openOtpCounts(store, clock, config.DIRECT_DEBIT_OTPS_PER_DAY),
      rail,
      ledger: openLedger(foundation).client(LedgerService),
      merchants: openMerchants(foundation, bus),
      idempotencyKeys: await openIdempotencyKeys(store, clock),
      sealing: createSealing(keys),
      settlesAt: config.settlesAt,
      payUrl: config.PAY_URL,
      otpAboveSen: config.DIRECT_DEBIT_OTP_ABOVE,
      bindingMs: config.DIRECT_DEBIT_BINDING_SECONDS * 1_000,
      unbindNeedsOtp: config.DIRECT_DEBIT_UNBIND_OTP === 'on',
      railTimeoutMs: config.RAIL_TIMEOUT_MS,
      clock,
      log,
      metrics: createDirectDebitMetrics(registry),
      background: new BackgroundWork(),
      inProgress: new Set(),
    };
    closing.push('calls to the bank', () => context.background.settled());
    await openTimer(foundation, 'binding timer', {
      collection: store.collection<StoredBindingDocument>(BINDINGS),
      clock,
      leaseMs: LEASE_MS,
      handle: (document) => onBindingDue(context, context.bindings.fromDocument(document)),
    });
    await openTimer(foundation, 'charge timer', {
      collection: store.collection<StoredChargeDocument>(CHARGES),
      clock,
      leaseMs: LEASE_MS,
      handle: (document) => onChargeDue(context, context.charges.fromDocument(document)),
    });
    await openTimer(foundation, 'discrepancy timer', {
      collection: store.collection<StoredDiscrepancyDocument>(DISCREPANCIES),
      clock,
      leaseMs: LEASE_MS,
      handle: (document) => onDiscrepancyDue(context, context.discrepancies.fromDocument(document)),
    });
    const gate = openOperatorGate(foundation);
    const forKeys = implementKeys(sealedPlaces({ store, keys, log }), gate);
    const served = [...implementations(context, gate), forKeys, ...relay.serve([BINDINGS, CHARGES], gate)];
    return serveRpc(foundation, { implementations: served, store });
  });
}

function credentialsOf(config: Config) {
  return {
    ...railFromConfig(config, 'DIRECT_DEBIT'),
    merchantId: config.RAIL_DIRECT_DEBIT_MERCHANT_ID,
  };
}
