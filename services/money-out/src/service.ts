import { createRelay, openBus } from '@gerbang/bus';
import { listenForMerchantHints } from '@gerbang/bus/merchant-hints';
import type { Clock } from '@gerbang/core';
import { LedgerService } from '@gerbang/proto/gerbang/ledger/v1/ledger';
import { MerchantService } from '@gerbang/proto/gerbang/merchant/v1/merchant';
import { openSnapBankTransfer } from '@gerbang/rails';
import { createMerchantDirectory, openChannel, openLedgerChannel, startRpcServer } from '@gerbang/rpc';
import {
  BackgroundWork,
  type Closeable,
  ClosingStack,
  createLogger,
  createMetrics,
  startAdmin,
  startBusinessClock,
  startTelemetry,
} from '@gerbang/runtime';
import { connectStore, openAuditLog, openIdempotencyKeys, startDueTimer } from '@gerbang/store';
import { onAccountTransferDue } from './account-transfer/on-due.ts';
import { openAccountTransferStore, type StoredAccountTransferDocument } from './account-transfer/store.ts';
import type { Config } from './config.ts';
import type { Context } from './context.ts';
import { createTransferMetrics } from './metrics.ts';
import { implementations } from './rpc.ts';
import { onTransferDue } from './transfer/on-due.ts';
import { ACCOUNT_TRANSFER, DISBURSEMENT, TRANSFERS } from './transfer/reference.ts';
import { openTransferStore } from './transfer/store.ts';
import type { StoredTransferDocument } from './transfer/stored-transfer.ts';

const NAME = 'money-out';

/** Longer than a timer's whole work: a call to the rail, an inquiry and the ledger. */
const LEASE_MS = 20_000;

export type Service = Closeable & { port: number; adminPort: number };

/** Starts the service; `clock` replaces the business clock in tests. */
export async function startService(config: Config, options: { clock?: Clock } = {}): Promise<Service> {
  const log = createLogger({ service: NAME, level: config.LOG_LEVEL });
  const closing = new ClosingStack(log);
  try {
    closing.push('telemetry', await startTelemetry({ service: NAME, otlpEndpoint: config.OTEL_EXPORTER_OTLP_ENDPOINT }));
    const businessClock = await startBusinessClock(options.clock === undefined ? config.SANDBOX_CLOCK_URL : undefined, log);
    closing.push('clock', () => businessClock.close());
    const clock = options.clock ?? businessClock;
    const store = await connectStore({
      uri: config.MONGODB_URI,
      database: `${config.MONGODB_DB_PREFIX}money_out`,
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
    const transfers = await openTransferStore(store, relay.afterWrite);
    const accountTransfers = await openAccountTransferStore(store, relay.afterWrite);
    const eventServices = relay.serve([TRANSFERS]);

    const merchantChannel = openChannel({ address: config.MERCHANT_RPC, tls: config.tls, metrics: registry, log });
    closing.push('merchant channel', () => merchantChannel.close());
    const ledgerChannel = openLedgerChannel({ addresses: config.LEDGER_RPC, tls: config.tls, metrics: registry, log });
    closing.push('ledger channel', () => ledgerChannel.close());
    const merchants = createMerchantDirectory({ merchants: merchantChannel.client(MerchantService), log });
    closing.push('merchant directory', () => merchants.close());
    const hints = listenForMerchantHints({ nats: bus, log, onHint: merchants.mayHaveChanged });
    closing.push('hints', () => hints.close());
    const rail = openSnapBankTransfer({
      url: config.RAIL_BANK_TRANSFER_URL,
      clientKey: config.RAIL_BANK_TRANSFER_CLIENT_KEY,
      clientSecret: config.RAIL_BANK_TRANSFER_CLIENT_SECRET,
      privateKey: config.RAIL_BANK_TRANSFER_PRIVATE_KEY,
      partnerId: config.RAIL_BANK_TRANSFER_PARTNER_ID,
      channelId: config.RAIL_BANK_TRANSFER_CHANNEL_ID,
    });
    closing.push('rail', () => rail.close());

    const context: Context = {
      transfers,
      accountTransfers,
      ledger: ledgerChannel.client(LedgerService),
      rail,
      clock,
      log,
      metrics: createTransferMetrics(registry),
      railTimeoutMs: config.RAIL_TIMEOUT_MS,
      merchants,
      idempotencyKeys: await openIdempotencyKeys(store, clock),
      audit: openAuditLog(store),
      inProgress: new Set(),
      background: new BackgroundWork(),
    };
    closing.push('calls to the rail', () => context.background.settled());
    const timer = await startDueTimer({
      collection: store.collection<StoredTransferDocument | StoredAccountTransferDocument>(TRANSFERS),
      clock,
      log,
      leaseMs: LEASE_MS,
      handle: (document) => onDue(context, document),
    });
    closing.push('timer', () => timer.close());
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

/** What the timer does depends on the product. */
function onDue(context: Context, document: StoredTransferDocument | StoredAccountTransferDocument): Promise<void> {
  switch (document.product) {
    case DISBURSEMENT:
      return onTransferDue(context, context.inProgress, context.transfers.fromDocument(document));
    case ACCOUNT_TRANSFER:
      return onAccountTransferDue(context, context.accountTransfers.fromDocument(document));
    default:
      return document satisfies never;
  }
}
