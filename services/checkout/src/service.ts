import type { Clock } from '@gerbang/core';
import { CheckoutService } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import { openChannel } from '@gerbang/rpc';
import {
  type Closeable,
  ClosingStack,
  createLogger,
  createMetrics,
  createRateLimiter,
  type Logger,
  startAdmin,
  startBusinessClock,
  startTelemetry,
} from '@gerbang/runtime';
import { createApp } from './app.ts';
import { readAssets } from './assets.ts';
import type { Config } from './config.ts';
import type { Context } from './context.ts';
import { createStreamPlaces } from './http/stream-places.ts';
import { createCheckoutMetrics } from './metrics.ts';
import { createWatch } from './status/watch.ts';

const NAME = 'checkout';

export type Service = Closeable & { url: string; adminPort: number };

/** Starts the service, whether or not money-in is there yet. Tests replace the business clock and the log. */
export async function startService(config: Config, options: { clock?: Clock; log?: Logger } = {}): Promise<Service> {
  const log = options.log ?? createLogger({ service: NAME, level: config.LOG_LEVEL });
  const closing = new ClosingStack(log);
  try {
    closing.push('telemetry', await startTelemetry({ service: NAME, otlpEndpoint: config.OTEL_EXPORTER_OTLP_ENDPOINT }));
    const businessClock = await startBusinessClock(options.clock === undefined ? config.SANDBOX_CLOCK_URL : undefined, log);
    closing.push('clock', () => businessClock.close());
    const registry = createMetrics(NAME);
    const channel = openChannel({ address: config.MONEY_IN_RPC, tls: config.tls, metrics: registry, log });
    closing.push('channel to money-in', () => channel.close());
    const checkout = channel.client(CheckoutService);
    const looking = { intervalMs: config.STATUS_INTERVAL_MS, log };
    const sessions = createWatch({
      ...looking,
      look: async (reffNos, signal) => (await checkout.listSessions({ reffNos }, { signal })).paymentLinkHistories,
      referenceOf: ({ reffNo }) => reffNo,
    });
    closing.push('watch of sessions', () => sessions.close());
    const ewallets = createWatch({
      ...looking,
      look: async (transactionIds, signal) =>
        (await checkout.listEwalletStatuses({ transactionIds }, { signal })).ewalletStatuses,
      referenceOf: ({ transactionId }) => transactionId,
    });
    closing.push('watch of e-wallet checkouts', () => ewallets.close());
    const places = createStreamPlaces(config.STATUS_STREAMS_MAX, config.STATUS_STREAMS_ADDRESS_MAX);
    const metrics = createCheckoutMetrics(registry);
    metrics.watchStreams(() => places.taken());
    const context: Context = {
      checkout,
      sessions,
      ewallets,
      places,
      addressLimit: createRateLimiter(config.RATE_LIMIT_ADDRESS_PER_MINUTE),
      linkLimit: createRateLimiter(config.RATE_LIMIT_LINK_PER_MINUTE),
      trustedProxies: config.TRUSTED_PROXIES,
      strictTransport: config.GERBANG_ENV === 'production',
      assets: readAssets(),
      clock: options.clock ?? businessClock,
      metrics,
      log,
    };
    const app = createApp(context);
    closing.push('http', () => app.close());
    await app.listen({ host: config.PAY_HOST, port: config.PAY_PORT });
    const admin = await startAdmin({
      host: config.ADMIN_HOST,
      port: config.ADMIN_PORT,
      metrics: registry,
      ready: () => undefined,
    });
    closing.push('admin', () => admin.close());
    const address = app.server.address();
    if (address === null || typeof address === 'string') throw new Error('checkout listens on no TCP port');
    const url = `http://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}`;
    log.info({ url }, 'ready');
    return { url, adminPort: admin.port, close: () => closing.close() };
  } catch (error) {
    await closing.close();
    throw error;
  }
}
