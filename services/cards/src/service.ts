import type { Clock } from '@gerbang/core';
import { LedgerService } from '@gerbang/proto/gerbang/ledger/v1/ledger';
import { LinkCardService } from '@gerbang/proto/gerbang/money_in/v1/link_card';
import { type CardRail, openRestCardHistory } from '@gerbang/rails/card';
import { openReconciliations, type ReconciledRail } from '@gerbang/reconciliation';
import { BackgroundWork, type Closeable, type Logger } from '@gerbang/runtime';
import { assembleService, openClock } from '@gerbang/service';
import { openRelay } from '@gerbang/service/events';
import { implementKeys, openKeys } from '@gerbang/service/keys';
import { openMerchants } from '@gerbang/service/merchants';
import { openOperatorGate } from '@gerbang/service/operators';
import { openChannel, openLedger, type Served, serveRpc } from '@gerbang/service/rpc';
import { openStore, openTimer } from '@gerbang/service/store';
import { openIdempotencyKeys } from '@gerbang/store';
import { openAcquirer } from './acquirer.ts';
import { onChargebackDue } from './chargeback/advance.ts';
import type { StoredChargebackDocument } from './chargeback/document.ts';
import { CHARGEBACKS, openChargebackStore } from './chargeback/store.ts';
import type { Config } from './config.ts';
import { CARD, type Context } from './context.ts';
import { CYCLES, openCycleStore } from './cycle/store.ts';
import { openCounters } from './limits/counters.ts';
import { reportsOf } from './limits/reports.ts';
import { createVelocity } from './limits/velocity.ts';
import { countTokens, createCardMetrics } from './metrics.ts';
import type { StoredPaymentDocument } from './payment/document.ts';
import { newLatelyAsked } from './payment/lately-asked.ts';
import { onDue } from './payment/on-due.ts';
import { openPaymentStore, PAYMENTS, type PaymentStore } from './payment/store.ts';
import { onChargeFinished, onPlanDue } from './plan/advance.ts';
import type { StoredPlanDocument } from './plan/document.ts';
import { openPlanGauges } from './plan/gauges.ts';
import { watchOutage } from './plan/outage.ts';
import { openPlanStore, PLANS } from './plan/store.ts';
import { reconciledRails } from './reconciliation/rails.ts';
import { implementations } from './rpc.ts';
import { openCountingPrints } from './vault/fingerprint.ts';
import { sealedPlaces } from './vault/sealed-places.ts';
import { onTokensDue } from './vault/sweep.ts';
import { openVault, type StoredToken, TOKENS } from './vault/vault.ts';

/** Beyond a timer's calls to the acquirer: for the ledger and the database. */
const LEASE_MARGIN_MS = 15_000;

export type Service = Served & Closeable;

/** Starts the service; `clock` replaces the business clock and `rail` the acquirer in tests. */
export function startService(config: Config, options: { clock?: Clock; rail?: CardRail } = {}): Promise<Service> {
  return assembleService({ name: 'cards', config }, async (foundation) => {
    const { log, registry, closing } = foundation;
    const clock = await openClock(foundation, options.clock);
    const store = await openStore(foundation);
    const { bus, relay } = openRelay(foundation, store, clock);
    const rail = options.rail ?? openAcquirer(config, log);
    closing.push('rail', () => rail.close());
    const keys = await openKeys(foundation, ['card-number']);
    const plansRead = await openPlanGauges(store, clock);
    const metrics = createCardMetrics(registry, { acquirer: config.CARD_ACQUIRER_NAME, ...plansRead });
    const context: Context = {
      payments: await openPaymentStore(store, relay.afterWrite),
      plans: await openPlanStore(store, relay.afterWrite),
      cycles: await openCycleStore(store, relay.afterWrite),
      chargebacks: await openChargebackStore(store, relay.afterWrite),
      vault: await openVault(store, keys, clock),
      velocity: createVelocity({
        ...reportsOf(foundation, metrics),
        limits: config.CARD_VELOCITY_LIMITS,
        counters: await openCounters(store),
        prints: await openCountingPrints(store, keys),
        clock,
        log,
        countsTestCards: config.GERBANG_ENV === 'production',
      }),
      rail,
      outage: watchOutage({ slots: config.CARD_PLAN_CHARGES }),
      terms: config.CARD_ACQUIRER_TERMS,
      ledger: openLedger(foundation).client(LedgerService),
      merchants: openMerchants(foundation, bus),
      links: openChannel(foundation, 'money-in', config.MONEY_IN_RPC).client(LinkCardService),
      idempotencyKeys: await openIdempotencyKeys(store, clock),
      settlesAt: config.settlesAt,
      payUrl: config.PAY_URL,
      captureAfterMs: config.CARD_CAPTURE_SECONDS * 1_000,
      challengeMs: config.CARD_3DS_SECONDS * 1_000,
      railTimeoutMs: config.RAIL_TIMEOUT_MS,
      planRetryMs: config.CARD_PLAN_RETRY_SECONDS * 1_000,
      chargebackFeeSen: BigInt(config.CARD_CHARGEBACK_FEE) * 100n,
      suspensePartition: config.SUSPENSE_PARTITION,
      onChargeFinished: (planId) => onChargeFinished(context, planId),
      clock,
      log,
      metrics,
      background: new BackgroundWork(),
      inProgress: new Set(),
      latelyAsked: newLatelyAsked(clock),
    };
    closing.push('calls to the acquirer', () => context.background.settled());
    await openTimer(foundation, 'payment timer', {
      collection: store.collection<StoredPaymentDocument>(PAYMENTS),
      clock,
      leaseMs: 2 * config.RAIL_TIMEOUT_MS + LEASE_MARGIN_MS,
      handle: (document) => onDue(context, context.payments.fromDocument(document)),
    });
    await openTimer(foundation, 'plan timer', {
      collection: store.collection<StoredPlanDocument>(PLANS),
      clock,
      leaseMs: 2 * config.RAIL_TIMEOUT_MS + LEASE_MARGIN_MS,
      concurrency: () => context.outage.slots(),
      fairBy: 'account_id',
      handle: (document) => onPlanDue(context, context.plans.fromDocument(document)),
    });
    await openTimer(foundation, 'chargeback timer', {
      collection: store.collection<StoredChargebackDocument>(CHARGEBACKS),
      clock,
      leaseMs: LEASE_MARGIN_MS,
      handle: (document) => onChargebackDue(context, context.chargebacks.fromDocument(document)),
    });
    await openTimer(foundation, 'vault timer', {
      collection: store.collection<StoredToken>(TOKENS),
      clock,
      leaseMs: LEASE_MARGIN_MS,
      concurrency: 2,
      handle: (token) => onTokensDue(context, [token]),
      handleTogether: (tokens) => onTokensDue(context, tokens),
    });
    countTokens(registry, context.vault);
    const gate = openOperatorGate(foundation);
    const rails = openReconciledRails({ config, payments: context.payments, clock, log });
    const reconciliations = await openReconciliations({ store, rails, clock, gate, registry, log });
    closing.push('reconciliations', () => reconciliations.close());
    const forKeys = implementKeys(sealedPlaces({ store, keys, log }), gate);
    const served = [
      ...implementations(context, gate),
      ...relay.serve([PAYMENTS, PLANS, CYCLES, CHARGEBACKS], gate),
      reconciliations.implementation,
      forKeys,
    ];
    return serveRpc(foundation, { implementations: served, store });
  });
}

/** None where the acquirer tells no history: the log says so. */
function openReconciledRails(options: { config: Config; payments: PaymentStore; clock: Clock; log: Logger }): ReconciledRail[] {
  const { config, payments, clock, log } = options;
  const { history } = config;
  if (history === undefined) {
    log.warn({ rail: CARD }, 'a rail is not reconciled: its history is not configured');
    return [];
  }
  return reconciledRails({ payments, nowMs: clock.now, openHistory: () => openRestCardHistory(history) });
}
