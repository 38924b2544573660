import { createRelay, openBus } from '@gerbang/bus';
import { type Clock, newUlid } from '@gerbang/core';
import { LedgerService } from '@gerbang/proto/gerbang/ledger/v1/ledger';
import { openLedgerChannel, startRpcServer } from '@gerbang/rpc';
import {
  type Closeable,
  ClosingStack,
  createLogger,
  createMetrics,
  startAdmin,
  startBusinessClock,
  startTelemetry,
} from '@gerbang/runtime';
import { connectStore, openAuditLog, openIdempotencyKeys } from '@gerbang/store';
import { ACCOUNTS, openAccountStore } from './account/store.ts';
import type { Config } from './config.ts';
import type { Context } from './context.ts';
import { resealSecrets } from './merchant/reseal.ts';
import { MERCHANTS, openMerchantStore } from './merchant/store.ts';
import { createMerchantMetrics } from './metrics.ts';
import { implementations } from './rpc.ts';
import { openSigningKeys } from './token/signing-keys.ts';

const NAME = 'merchant';

export type Service = Closeable & { port: number; adminPort: number };

/** Starts the service; it answers whether or not NATS is there. `clock` and `realNow` replace business and real time in tests. */
export async function startService(config: Config, options: { clock?: Clock; realNow?: () => number } = {}): Promise<Service> {
  const log = createLogger({ service: NAME, level: config.LOG_LEVEL });
  const realNow = options.realNow ?? Date.now;
  const closing = new ClosingStack(log);
  try {
    closing.push('telemetry', await startTelemetry({ service: NAME, otlpEndpoint: config.OTEL_EXPORTER_OTLP_ENDPOINT }));
    const businessClock = await startBusinessClock(options.clock === undefined ? config.SANDBOX_CLOCK_URL : undefined, log);
    closing.push('clock', () => businessClock.close());
    const store = await connectStore({
      uri: config.MONGODB_URI,
      database: `${config.MONGODB_DB_PREFIX}merchant`,
      appName: NAME,
    });
    closing.push('store', () => store.close());
    const bus = openBus({ url: config.NATS_URL, name: NAME, log });
    closing.push('bus', () => bus.close());
    const registry = createMetrics(NAME);
    const clock = options.clock ?? businessClock;
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
    const merchants = await openMerchantStore(store, relay.afterWrite);
    const accounts = await openAccountStore(store, relay.afterWrite);
    const eventServices = relay.serve([MERCHANTS, ACCOUNTS]);
    const signingKeys = await openSigningKeys({
      store,
      keyRing: config.GERBANG_KEKS,
      rotationMs: config.TOKEN_KEY_ROTATION_SECONDS * 1_000,
      realNow,
      log,
    });
    closing.push('signing keys', () => signingKeys.close());
    const ledgerChannel = openLedgerChannel({ addresses: config.LEDGER_RPC, tls: config.tls, metrics: registry, log });
    closing.push('ledger channel', () => ledgerChannel.close());

    const context: Context = {
      store,
      merchants,
      accounts,
      signingKeys,
      idempotencyKeys: await openIdempotencyKeys(store, clock),
      audit: openAuditLog(store),
      ledger: ledgerChannel.client(LedgerService),
      keyRing: config.GERBANG_KEKS,
      clock,
      realNow,
      newId: newUlid,
      partitions: config.MERCHANT_PARTITIONS,
      httpAllowed: config.GERBANG_ENV === 'sandbox',
      metrics: createMerchantMetrics(registry),
      log,
    };
    const resealing = resealSecrets(context).catch((error: unknown) => log.error({ err: error }, 'could not re-seal secrets'));
    closing.push('re-sealing', () => resealing);
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
