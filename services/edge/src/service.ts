import type { Closeable, Logger } from '@gerbang/runtime';
import { assembleService, listenHttp, startProbes } from '@gerbang/service';
import { openDirectory, openHintConnection, passOnHints } from '@gerbang/service/merchants';
import { createApp, type Listener } from './app.ts';
import { openClients } from './clients.ts';
import type { Config } from './config.ts';
import type { Context } from './context.ts';
import { addDocsPages } from './docs/pages.ts';
import { createAccessCache } from './http/access-cache.ts';
import { v1 } from './http/envelope-v1.ts';
import { createRateLimit } from './http/rate-limit.ts';
import { createTokenVerifier } from './http/token-verifier.ts';
import { envelopeOf } from './http/url-map.ts';
import { createEdgeMetrics } from './metrics.ts';
import { addApiDocument } from './openapi/serve.ts';
import { createRailsApp } from './rails/app.ts';
import { createRailMetrics } from './rails/metrics.ts';
import { billerRoutes } from './routes/biller.ts';
import { routes } from './routes/index.ts';

/** `billerUrl` is the legacy API of the biller, `railsUrl` is where banks and acquirers call. */
export type Service = Closeable & { url: string; billerUrl: string; railsUrl: string; adminPort: number };

/** Starts the service, whether or not the services behind it are there yet. Tests replace real time and the log. */
export function startService(config: Config, options: { realNow?: () => number; log?: Logger } = {}): Promise<Service> {
  const realNow = options.realNow ?? Date.now;
  return assembleService({ name: 'edge', config, log: options.log }, async (foundation) => {
    const { log, registry, closing } = foundation;
    const clients = openClients(foundation);
    const { merchants } = clients;
    const directory = openDirectory(foundation, merchants);
    const access = createAccessCache({ merchants, log });
    closing.push('access', () => access.close());
    passOnHints(foundation, openHintConnection(foundation), [access, directory]);
    const tokens = createTokenVerifier({ merchants, realNow, log });
    closing.push('token keys', () => tokens.close());
    const context: Context = {
      ...clients,
      directory,
      access,
      tokens,
      merchantLimit: createRateLimit(config.RATE_LIMIT_PER_MINUTE),
      tokenLimit: createRateLimit(config.RATE_LIMIT_TOKEN_PER_MINUTE),
      retailLimit: createRateLimit(config.RATE_LIMIT_RETAIL_PER_MINUTE),
      trustedProxies: config.TRUSTED_PROXIES,
      showsDocs: config.showsDocs,
      realNow,
      metrics: createEdgeMetrics(registry),
      log,
    };
    const url = await listenHttp(foundation, 'http', createApp(context, merchantListener(context, config)), {
      host: config.EDGE_HOST,
      port: config.EDGE_PORT,
    });
    const billerUrl = await listenHttp(foundation, 'biller', createApp(context, BILLER_LISTENER), {
      host: config.BILLER_HOST,
      port: config.BILLER_PORT,
    });
    const railsApp = createRailsApp({
      moneyIn: clients.moneyInRails,
      moneyOut: clients.moneyOutRails,
      directDebit: clients.directDebitRails,
      cards: clients.cardRails,
      partners: config.RAIL_PARTNERS,
      realNow,
      metrics: context.metrics,
      railMetrics: createRailMetrics(registry),
      log,
    });
    const railsUrl = await listenHttp(foundation, 'rails', railsApp, { host: config.RAILS_HOST, port: config.RAILS_PORT });
    const admin = await startProbes(foundation, () => (access.isFresh() ? undefined : 'the merchant service does not answer'));
    log.info({ url, biller_url: billerUrl, rails_url: railsUrl }, 'ready');
    return { url, billerUrl, railsUrl, adminPort: admin.port };
  });
}

/** base_url: the API, its document, and the reference pages. */
function merchantListener(context: Context, { billerUrl }: Config): Listener {
  return {
    routes,
    unknown: envelopeOf,
    add(app, checks) {
      addApiDocument(app, { routes, billerRoutes, billerUrl }, checks);
      if (context.showsDocs) addDocsPages(app, context, checks);
    },
  };
}

/** biller_url: the legacy API, whose refusals of paths are in the v1 envelope (contract §9). */
const BILLER_LISTENER: Listener = { routes: billerRoutes, unknown: () => v1 };
