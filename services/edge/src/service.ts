import type { Socket } from 'node:net';
import { type Closeable, createPermits, type Logger, securityEventsOf } from '@gerbang/runtime';
import {
  assembleService,
  boundConnections,
  createLimitMetrics,
  type HttpApp,
  listenHttp,
  shareOf,
  startProbes,
} from '@gerbang/service';
import { openDirectory, openHintConnection, passOnHints } from '@gerbang/service/merchants';
import { createApp, type Listener } from './app.ts';
import { openClients } from './clients.ts';
import type { Config } from './config.ts';
import type { Context } from './context.ts';
import { addDocsPages } from './docs/pages.ts';
import { createAccessCache } from './http/access-cache.ts';
import { v1 } from './http/envelope-v1.ts';
import { peerOf } from './http/ip-whitelist.ts';
import { createRateLimit } from './http/rate-limit.ts';
import { MERCHANT_REASONS, RAILS_REASONS } from './http/security-reasons.ts';
import { createTokenFailures } from './http/token-failures.ts';
import { createTokenVerifier } from './http/token-verifier.ts';
import { createUnfinishedBodies } from './http/unfinished-bodies.ts';
import { envelopeOf } from './http/url-map.ts';
import { createEdgeMetrics } from './metrics.ts';
import { addApiDocument } from './openapi/serve.ts';
import { createRailsApp } from './rails/app.ts';
import type { RailsContext } from './rails/context.ts';
import { RAILS_LISTENER } from './rails/limits.ts';
import { createRailMetrics } from './rails/metrics.ts';
import { billerRoutes } from './routes/biller.ts';
import { routes } from './routes/index.ts';

/** `billerUrl` is the legacy API of the biller, `railsUrl` is where banks and acquirers call. */
export type Service = Closeable & { url: string; billerUrl: string; railsUrl: string; adminPort: number };

/** Starts the service, whether or not the services behind it are there yet. Tests replace real time and the log. */
export function startService(config: Config, options: { realNow?: () => number; log?: Logger } = {}): Promise<Service> {
  const realNow = options.realNow ?? Date.now;
  return assembleService({ name: 'edge', config, log: options.log }, async (foundation) => {
    const { log, registry, closing, draining } = foundation;
    const clients = openClients(foundation);
    const { merchants } = clients;
    const callerMaxMib = config.UNFINISHED_BODIES_CALLER_MIB;
    const directory = openDirectory(foundation, merchants);
    const access = createAccessCache({ merchants, log });
    closing.push('access', () => access.close());
    passOnHints(foundation, openHintConnection(foundation), [access, directory]);
    const tokens = createTokenVerifier({ merchants, realNow, log });
    closing.push('token keys', () => tokens.close());
    const context: Context = {
      draining: draining.signal,
      ...clients,
      directory,
      access,
      tokens,
      merchantLimit: createRateLimit(shareOf(config.RATE_LIMIT_PER_MINUTE, config)),
      tokenLimit: createRateLimit(shareOf(config.RATE_LIMIT_TOKEN_PER_MINUTE, config)),
      retailLimit: createRateLimit(shareOf(config.RATE_LIMIT_RETAIL_PER_MINUTE, config)),
      tokenFailures: createTokenFailures(shareOf(config.TOKEN_FAILURES_PER_MINUTE, config)),
      csvStreams: {
        permits: createPermits({ max: config.CSV_STREAMS_MAX, keyMax: config.CSV_STREAMS_MERCHANT_MAX }),
        readTimeoutMs: config.CSV_READ_TIMEOUT_MS,
      },
      unfinishedBodies: {
        ofMerchants: createUnfinishedBodies({ maxMib: config.UNFINISHED_BODIES_MIB, callerMaxMib }),
        ofUnknown: createUnfinishedBodies({ maxMib: config.UNFINISHED_BODIES_UNKNOWN_MIB, callerMaxMib }),
      },
      limitMetrics: createLimitMetrics(registry),
      trustedProxies: config.TRUSTED_PROXIES,
      showsDocs: config.showsDocs,
      realNow,
      metrics: createEdgeMetrics(registry),
      log,
      security: securityEventsOf(registry, log),
    };
    for (const name of [MERCHANT_LISTENER, BILLER_LISTENER.name]) context.security.expect(name, MERCHANT_REASONS);
    context.security.expect(RAILS_LISTENER, RAILS_REASONS);
    const listen = (listener: string, app: HttpApp, host: string, port: number) => {
      const isTrusted = (peer: Socket) => config.TRUSTED_PROXIES(peerOf(peer) ?? '');
      boundConnections(app.server, { listener, config, isTrusted, metrics: context.limitMetrics });
      return listenHttp(foundation, listener, app, { host, port });
    };
    const merchantApp = createApp(context, merchantListener(context, config), config);
    const url = await listen(MERCHANT_LISTENER, merchantApp, config.EDGE_HOST, config.EDGE_PORT);
    const billerApp = createApp(context, BILLER_LISTENER, config);
    const billerUrl = await listen('biller', billerApp, config.BILLER_HOST, config.BILLER_PORT);
    const railsContext: RailsContext = {
      moneyIn: clients.moneyInRails,
      moneyOut: clients.moneyOutRails,
      directDebit: clients.directDebitRails,
      cards: clients.cardRails,
      partners: config.RAIL_PARTNERS,
      realNow,
      trustedProxies: config.TRUSTED_PROXIES,
      callPermits: createPermits({ max: config.RAIL_CALLS_MAX, keyMax: config.RAIL_CALLS_PARTNER_MAX }),
      unfinishedBodies: createUnfinishedBodies({ maxMib: config.UNFINISHED_BODIES_UNKNOWN_MIB, callerMaxMib }),
      tokenFailures: createTokenFailures(shareOf(config.TOKEN_FAILURES_PER_MINUTE, config)),
      limitMetrics: context.limitMetrics,
      metrics: context.metrics,
      railMetrics: createRailMetrics(registry),
      log,
      security: context.security,
    };
    const railsUrl = await listen(RAILS_LISTENER, createRailsApp(railsContext, config), config.RAILS_HOST, config.RAILS_PORT);
    const admin = await startProbes(foundation, () => (access.isFresh() ? undefined : 'the merchant service does not answer'));
    log.info({ url, biller_url: billerUrl, rails_url: railsUrl }, 'ready');
    return { url, billerUrl, railsUrl, adminPort: admin.port };
  });
}

/** What metrics and security events call the listener of base_url. */
const MERCHANT_LISTENER = 'http';

/** base_url: the API, its document, and the reference pages. */
function merchantListener(context: Context, { billerUrl }: Config): Listener {
  return {
    name: MERCHANT_LISTENER,
    routes,
    unknown: envelopeOf,
    add(app, checks) {
      addApiDocument(app, { routes, billerRoutes, billerUrl }, checks);
      if (context.showsDocs) addDocsPages(app, context, checks);
    },
  };
}

/** biller_url: the legacy API, whose refusals of paths are in the v1 envelope (contract §9). */
const BILLER_LISTENER: Listener = { name: 'biller', routes: billerRoutes, unknown: () => v1 };
