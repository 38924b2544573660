import type { Clock } from '@gerbang/core';
import { CardPageService } from '@gerbang/proto/gerbang/cards/v1/cards';
import { BindPageService } from '@gerbang/proto/gerbang/direct_debit/v1/direct_debit';
import { CheckoutService } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import { type Closeable, createPermits, createRateLimiter, type Logger, securityEventsOf } from '@gerbang/runtime';
import {
  assembleService,
  boundConnections,
  createLimitMetrics,
  listenHttp,
  openClock,
  shareOf,
  startProbes,
} from '@gerbang/service';
import { openChannel } from '@gerbang/service/rpc';
import { createApp } from './app.ts';
import { readAssets } from './assets.ts';
import type { Config } from './config.ts';
import type { Context } from './context.ts';
import { LISTENER } from './http/limits.ts';
import { trustedPeers } from './http/trusted-peers.ts';
import { createCheckoutMetrics } from './metrics.ts';
import { createWatch } from './status/watch.ts';

export type Service = Closeable & { url: string; adminPort: number };

/** Starts the service, whether or not money-in is there yet. Tests replace the business clock and the log. */
export function startService(config: Config, options: { clock?: Clock; log?: Logger } = {}): Promise<Service> {
  return assembleService({ name: 'checkout', config, log: options.log }, async (foundation) => {
    const { log, registry, closing } = foundation;
    const clock = await openClock(foundation, options.clock);
    const checkout = openChannel(foundation, 'money-in', config.MONEY_IN_RPC).client(CheckoutService);
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
    const streamPermits = createPermits({ max: config.STATUS_STREAMS_MAX, keyMax: config.STATUS_STREAMS_ADDRESS_MAX });
    const limitMetrics = createLimitMetrics(registry);
    const perMinute = (limit: number) => createRateLimiter(shareOf(limit, config));
    const metrics = createCheckoutMetrics(registry);
    metrics.watchStreams(() => streamPermits.taken);
    const context: Context = {
      checkout,
      cards: openChannel(foundation, 'cards', config.CARDS_RPC).client(CardPageService),
      bindings: openChannel(foundation, 'direct-debit', config.DIRECT_DEBIT_RPC).client(BindPageService),
      sessions,
      ewallets,
      streamPermits,
      pageLimits: {
        address: perMinute(config.RATE_LIMIT_ADDRESS_PER_MINUTE),
        link: perMinute(config.RATE_LIMIT_LINK_PER_MINUTE),
        linkAddress: perMinute(config.LINK_LIMIT_ADDRESS_PER_MINUTE),
      },
      limitMetrics,
      trustedProxies: config.TRUSTED_PROXIES,
      strictTransport: config.GERBANG_ENV === 'production',
      assets: readAssets(),
      clock,
      metrics,
      log,
      security: securityEventsOf(registry, log),
    };
    const app = createApp(context, config);
    const isTrusted = trustedPeers(config.TRUSTED_PROXIES);
    boundConnections(app.server, { listener: LISTENER, config, isTrusted, metrics: limitMetrics });
    const url = await listenHttp(foundation, 'http', app, { host: config.PAY_HOST, port: config.PAY_PORT });
    const admin = await startProbes(foundation, () => undefined);
    log.info({ url }, 'ready');
    return { url, adminPort: admin.port };
  });
}
