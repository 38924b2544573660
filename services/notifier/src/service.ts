import { consume, openBus } from '@gerbang/bus';
import type { Clock } from '@gerbang/core';
import { EventSourceService } from '@gerbang/proto/gerbang/events/v1/events';
import { MerchantService } from '@gerbang/proto/gerbang/merchant/v1/merchant';
import { openChannel, startRpcServer } from '@gerbang/rpc';
import {
  type Closeable,
  ClosingStack,
  createLogger,
  createMetrics,
  type Logger,
  startAdmin,
  startBusinessClock,
  startTelemetry,
} from '@gerbang/runtime';
import { connectStore, openAuditLog } from '@gerbang/store';
import type { Config } from './config.ts';
import type { Context } from './context.ts';
import { dispatch } from './delivery/dispatch.ts';
import { createEndpointStats } from './delivery/endpoint-stats.ts';
import { followFailingEndpoints } from './delivery/failing-endpoints.ts';
import { createLanes } from './delivery/lanes.ts';
import { createLeases } from './delivery/leases.ts';
import { createProgress } from './delivery/progress.ts';
import { startPuller } from './delivery/puller.ts';
import { createRecorder } from './delivery/recorder.ts';
import { openRedeliveryRuns } from './delivery/redelivery-run.ts';
import { createSender } from './delivery/sender.ts';
import { openDeliveryStore } from './delivery/store.ts';
import { createWaker } from './delivery/waker.ts';
import { createConfirmations } from './event/confirmations.ts';
import { onEvents } from './event/on-events.ts';
import { openUnreadableStore } from './event/unreadable-store.ts';
import { createSettingsDirectory } from './event/webhook-settings.ts';
import { createNotifierMetrics } from './metrics.ts';
import { implementations } from './rpc.ts';

const NAME = 'notifier';

/** Messages handed over together; each is one aggregate's tail. */
const BATCH_MAX = 200;
/** Closing waits for attempts in flight, and those may take 10 s. */
const CLOSE_STEP_MS = 14_000;

export type Service = Closeable & { port: number; adminPort: number };

/** Starts the service; `clock` replaces the business clock and `log` the logger in tests. */
export async function startService(config: Config, options: { clock?: Clock; log?: Logger } = {}): Promise<Service> {
  const log = options.log ?? createLogger({ service: NAME, level: config.LOG_LEVEL });
  const closing = new ClosingStack(log, CLOSE_STEP_MS);
  try {
    closing.push('telemetry', await startTelemetry({ service: NAME, otlpEndpoint: config.OTEL_EXPORTER_OTLP_ENDPOINT }));
    const businessClock = await startBusinessClock(options.clock === undefined ? config.SANDBOX_CLOCK_URL : undefined, log);
    closing.push('clock', () => businessClock.close());
    const clock = options.clock ?? businessClock;
    const store = await connectStore({
      uri: config.MONGODB_URI,
      database: `${config.MONGODB_DB_PREFIX}notifier`,
      appName: NAME,
    });
    closing.push('store', () => store.close());
    const deliveries = await openDeliveryStore(store);
    closing.push('deliveries', () => deliveries.close());
    const unreadable = await openUnreadableStore(store);
    const registry = createMetrics(NAME);
    const merchantChannel = openChannel({ address: config.MERCHANT_RPC, tls: config.tls, metrics: registry, log });
    closing.push('merchant channel', () => merchantChannel.close());
    const sandbox = config.GERBANG_ENV === 'sandbox';
    const sender = createSender(
      { allowPrivate: config.WEBHOOK_ALLOW_PRIVATE, allowHttp: sandbox },
      { socketsPerEndpoint: config.WEBHOOK_ENDPOINT_CONCURRENCY },
    );
    closing.push('sender', () => sender.close());
    const { claims } = deliveries;
    const retryPolicy = { sandbox, chance: Math.random };
    const leases = createLeases(claims.renew, log);
    closing.push('leases', () => leases.close());
    const recorder = createRecorder(claims, leases.owner, retryPolicy);
    const waker = createWaker(
      (over) => claims.wake(over, clock.now()),
      (endpoint) => puller.look(endpoint),
      log,
    );
    const bounds = { perEndpoint: config.WEBHOOK_ENDPOINT_CONCURRENCY, overall: config.WEBHOOK_CONCURRENCY };
    const lanes = createLanes(bounds, (endpoint) => {
      if (puller.isBehind(endpoint)) puller.look(endpoint);
    });
    const failingEndpoints = await followFailingEndpoints({
      store,
      clock,
      log,
      hasPending: async (endpoint) => (await claims.backlogOf(endpoint)).count > 0,
      onKnown: (endpoint) => lanes.suspect(endpoint, 1),
    });
    closing.push('failing endpoints', () => failingEndpoints.close());
    closing.push('lanes', () => lanes.close());
    const ending = new AbortController();
    // The puller has ended by then: what is given back is for other replicas.
    closing.push('attempts', () => ending.abort());
    const puller = startPuller({
      claims,
      leases,
      lanes,
      clock,
      log,
      dispatch: (claimed, sinceMs) => dispatch(context, claimed, sinceMs),
    });
    closing.push('puller', () => puller.close());

    const endpointStats = createEndpointStats();
    const context: Context = {
      deliveries,
      redeliveryRuns: openRedeliveryRuns(store),
      unreadable,
      audit: openAuditLog(store),
      settings: createSettingsDirectory(merchantChannel.client(MerchantService), log),
      ending: ending.signal,
      leases,
      lanes,
      progress: createProgress(),
      puller,
      recorder,
      waker,
      sender,
      endpointStats,
      failingEndpoints,
      retryPolicy,
      clock,
      log,
      metrics: createNotifierMetrics(registry, {
        countDue: deliveries.countDue,
        countUnreadable: unreadable.count,
        worstEndpoints: () => endpointStats.worst(config.WEBHOOK_METRICS_ENDPOINTS),
        backlogOf: claims.backlogOf,
        nowMs: clock.now,
      }),
    };
    const bus = openBus({ url: config.NATS_URL, name: NAME, log });
    closing.push('bus', () => bus.close());
    const sources = [
      { service: 'money-out', address: config.MONEY_OUT_RPC },
      { service: 'money-in', address: config.MONEY_IN_RPC },
      { service: 'merchant', address: config.MERCHANT_RPC },
    ];
    const closeSources = sources.map(({ service, address }) => {
      const channel = openChannel({ address, tls: config.tls, metrics: registry, log });
      closing.push(`${service} channel`, () => channel.close());
      const confirmations = createConfirmations(channel.client(EventSourceService), log);
      const consumer = consume({
        bus,
        service,
        durable: NAME,
        batchMax: BATCH_MAX,
        log,
        handle: (messages) => onEvents(context, service, confirmations, messages),
      });
      return async () => {
        await consumer.close();
        await confirmations.close();
      };
    });
    // Together, because each may have to wait for somebody who ends at the same time.
    closing.push('events', async () => {
      await Promise.all(closeSources.map((close) => close()));
    });
    const rpc = await startRpcServer({
      host: config.RPC_HOST,
      port: config.RPC_PORT,
      tls: config.tls,
      log,
      implementations: implementations(context),
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
