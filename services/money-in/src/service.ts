import { createRelay, openBus } from '@gerbang/bus';
import { listenForMerchantHints } from '@gerbang/bus/merchant-hints';
import type { Clock } from '@gerbang/core';
import { LedgerService } from '@gerbang/proto/gerbang/ledger/v1/ledger';
import { MerchantService } from '@gerbang/proto/gerbang/merchant/v1/merchant';
import { openSnapEwallet, openSnapQris } from '@gerbang/rails';
import { createMerchantDirectory, openChannel, openLedgerChannel, startRpcServer } from '@gerbang/rpc';
import {
  type Closeable,
  ClosingStack,
  createLogger,
  createMetrics,
  startAdmin,
  startBusinessClock,
  startTelemetry,
} from '@gerbang/runtime';
import { connectStore, openAuditLog, openIdempotencyKeys, type Store, startDueTimer } from '@gerbang/store';
import type { Config } from './config.ts';
import type { Context, Rails } from './context.ts';
import { createMoneyInMetrics } from './metrics.ts';
import { openClaims } from './payable/claims.ts';
import { onPayablesDue } from './payable/on-due.ts';
import { openSequence } from './payable/sequence.ts';
import { openPayableStore, PAYABLES, type PayableStore } from './payable/store.ts';
import type { StoredPayableDocument } from './payable/stored-payable.ts';
import { onPaymentsDue } from './payment/on-due.ts';
import { openPaymentStore, PAYMENTS } from './payment/store.ts';
import type { StoredPaymentDocument } from './payment/stored-payment.ts';
import { createAskRail } from './rail/ask.ts';
import { implementations } from './rpc.ts';

const NAME = 'money-in';

/** Longer than a timer's whole work: the ledger and a few writes. */
const LEASE_MS = 20_000;

/** Batches of a timer at once: some wait for rails or for the ledger, while others are written. */
const BATCHES = 4;

/** A rail that is asked what has become of a payment has so long, whatever else it may take: all questions of a batch fit into the lease. */
const ASK_TIMEOUT_MS = 5_000;

export type Service = Closeable & { port: number; adminPort: number };

/** Starts the service; `clock` replaces the business clock and `rails` the acquirers in tests. */
export async function startService(config: Config, options: { clock?: Clock; rails?: Rails } = {}): Promise<Service> {
  const log = createLogger({ service: NAME, level: config.LOG_LEVEL });
  const closing = new ClosingStack(log);
  try {
    closing.push('telemetry', await startTelemetry({ service: NAME, otlpEndpoint: config.OTEL_EXPORTER_OTLP_ENDPOINT }));
    const businessClock = await startBusinessClock(options.clock === undefined ? config.SANDBOX_CLOCK_URL : undefined, log);
    closing.push('clock', () => businessClock.close());
    const clock = options.clock ?? businessClock;
    const store = await connectStore({
      uri: config.MONGODB_URI,
      database: `${config.MONGODB_DB_PREFIX}money_in`,
      appName: NAME,
    });
    closing.push('store', () => store.close());
    const bus = openBus({ url: config.NATS_URL, name: NAME, log });
    closing.push('bus', () => bus.close());
    const registry = createMetrics(NAME);
    const relay = createRelay({
      bus,
      store,
      service: NAME,
      clock,
      streamReplicas: config.STREAM_REPLICAS,
      metrics: registry,
      log,
    });
    closing.push('relay', () => relay.close());
    const payables = await openPayableStore(store, relay.afterWrite);
    const payments = await openPaymentStore(store, relay.afterWrite);
    const eventServices = relay.serve([PAYABLES, PAYMENTS]);

    const merchantChannel = openChannel({ address: config.MERCHANT_RPC, tls: config.tls, metrics: registry, log });
    closing.push('merchant channel', () => merchantChannel.close());
    const ledgerChannel = openLedgerChannel({ addresses: config.LEDGER_RPC, tls: config.tls, metrics: registry, log });
    closing.push('ledger channel', () => ledgerChannel.close());
    const merchants = createMerchantDirectory({ merchants: merchantChannel.client(MerchantService), log });
    closing.push('merchant directory', () => merchants.close());
    const hints = listenForMerchantHints({ nats: bus, log, onHint: merchants.mayHaveChanged });
    closing.push('hints', () => hints.close());

    const rails = options.rails ?? openRails(config);
    closing.push('rail of QRIS', () => rails.qris.close());
    closing.push('rail of e-wallets', () => rails.ewallet.close());
    const context: Context = {
      payables,
      payments,
      ...numbersOf(store, payables),
      ledger: ledgerChannel.client(LedgerService),
      merchants,
      idempotencyKeys: await openIdempotencyKeys(store, clock),
      audit: openAuditLog(store),
      settlesAt: config.settlesAt,
      vaSeries: config.vaSeries,
      payUrl: config.PAY_URL,
      sessionMs: config.PAYMENT_LINK_SESSION_SECONDS * 1_000,
      suspensePartition: config.SUSPENSE_PARTITION,
      rails,
      askRail: createAskRail(rails, Math.min(config.RAIL_TIMEOUT_MS, ASK_TIMEOUT_MS)),
      railTimeoutMs: config.RAIL_TIMEOUT_MS,
      clock,
      log,
      metrics: createMoneyInMetrics(registry),
    };
    await startTimers(context, store, closing);
    const rpc = await startRpcServer({
      host: config.RPC_HOST,
      port: config.RPC_PORT,
      tls: config.tls,
      log,
      implementations: [...implementations(context), ...eventServices],
      metrics: registry,
      ready: () => true,
    });
    closing.push('rpc', () => rpc.close());
    const admin = await startAdmin({
      host: config.ADMIN_HOST,
      port: config.ADMIN_PORT,
      metrics: registry,
      ready: async () => {
        await store.ping();
        return undefined;
      },
    });
    closing.push('admin', () => admin.close());
    log.info({ port: rpc.port }, 'ready');
    return { port: rpc.port, adminPort: admin.port, close: () => closing.close() };
  } catch (error) {
    await closing.close();
    throw error;
  }
}

function openRails(config: Config): Rails {
  return {
    qris: openSnapQris({
      url: config.RAIL_QRIS_URL,
      clientKey: config.RAIL_QRIS_CLIENT_KEY,
      clientSecret: config.RAIL_QRIS_CLIENT_SECRET,
      privateKey: config.RAIL_QRIS_PRIVATE_KEY,
      partnerId: config.RAIL_QRIS_PARTNER_ID,
      channelId: config.RAIL_QRIS_CHANNEL_ID,
      merchantId: config.RAIL_QRIS_MERCHANT_ID,
    }),
    ewallet: openSnapEwallet({
      url: config.RAIL_EWALLET_URL,
      clientKey: config.RAIL_EWALLET_CLIENT_KEY,
      clientSecret: config.RAIL_EWALLET_CLIENT_SECRET,
      privateKey: config.RAIL_EWALLET_PRIVATE_KEY,
      partnerId: config.RAIL_EWALLET_PARTNER_ID,
      channelId: config.RAIL_EWALLET_CHANNEL_ID,
    }),
    acquirerName: config.RAIL_QRIS_ACQUIRER_NAME,
    merchantCity: config.RAIL_QRIS_MERCHANT_CITY,
    callbackPartnerIds: { qris: config.RAIL_QRIS_CALLBACK_PARTNER_ID, ewallet: config.RAIL_EWALLET_CALLBACK_PARTNER_ID },
  };
}

/** Numbers that are unique, and numbers that ascend. */
function numbersOf(store: Store, payables: PayableStore): Pick<Context, 'claims' | 'numbers'> {
  return {
    claims: openClaims(store, async (id) => {
      const found = await payables.find(id);
      if (found === undefined) return 'missing';
      return found.state.status === 'active' ? 'active' : (found.state.endedAtMs ?? 'active');
    }),
    numbers: { qris: openSequence(store, 'qris'), link: openSequence(store, 'link'), history: openSequence(store, 'history') },
  };
}

/** Expiry of payables; settlement of payments, and what crashes have left. */
async function startTimers(context: Context, store: Store, closing: ClosingStack): Promise<void> {
  const { clock, log, payables, payments } = context;
  const payableTimer = await startDueTimer({
    collection: store.collection<StoredPayableDocument>(PAYABLES),
    clock,
    log,
    leaseMs: LEASE_MS,
    concurrency: BATCHES,
    handle: (document) => onPayablesDue(context, [payables.fromDocument(document)]),
    handleTogether: (documents) => onPayablesDue(context, documents.map(payables.fromDocument)),
  });
  closing.push('timer of payables', () => payableTimer.close());
  const paymentTimer = await startDueTimer({
    collection: store.collection<StoredPaymentDocument>(PAYMENTS),
    clock,
    log,
    leaseMs: LEASE_MS,
    concurrency: BATCHES,
    handle: (document) => onPaymentsDue(context, [payments.fromDocument(document)]),
    handleTogether: (documents) => onPaymentsDue(context, documents.map(payments.fromDocument)),
  });
  closing.push('timer of payments', () => paymentTimer.close());
}
