import type { AddressInfo } from 'node:net';
import { listenForMerchantHints, openNats } from '@gerbang/bus/merchant-hints';
import { LedgerService, StatementService } from '@gerbang/proto/gerbang/ledger/v1/ledger';
import { AccountService, MerchantService } from '@gerbang/proto/gerbang/merchant/v1/merchant';
import {
  EwalletCheckoutService,
  PaymentLinkService,
  QrisService,
  RetailService,
  VirtualAccountService,
} from '@gerbang/proto/gerbang/money_in/v1/money_in';
import { RailService } from '@gerbang/proto/gerbang/money_in/v1/rail';
import { AccountTransferService, DisbursementService } from '@gerbang/proto/gerbang/money_out/v1/money_out';
import { DeliveryService } from '@gerbang/proto/gerbang/notifier/v1/notifier';
import { createMerchantDirectory, openChannel, openLedgerChannel, type RpcChannel } from '@gerbang/rpc';
import {
  type Closeable,
  ClosingStack,
  createLogger,
  createMetrics,
  type Logger,
  startAdmin,
  startTelemetry,
} from '@gerbang/runtime';
import { createApp } from './app.ts';
import type { Config } from './config.ts';
import type { Context } from './context.ts';
import { createAccessCache } from './http/access-cache.ts';
import { createRateLimit } from './http/rate-limit.ts';
import { createTokenVerifier } from './http/token-verifier.ts';
import { createEdgeMetrics } from './metrics.ts';
import { createRailsApp } from './rails/app.ts';
import { createRailMetrics } from './rails/metrics.ts';

const NAME = 'edge';

/** `railsUrl` is where banks and acquirers call. */
export type Service = Closeable & { url: string; railsUrl: string; adminPort: number };

/** Starts the service, whether or not the services behind it are there yet. Tests replace real time and the log. */
export async function startService(config: Config, options: { realNow?: () => number; log?: Logger } = {}): Promise<Service> {
  const log = options.log ?? createLogger({ service: NAME, level: config.LOG_LEVEL });
  const realNow = options.realNow ?? Date.now;
  const closing = new ClosingStack(log);
  const registry = createMetrics(NAME);
  const open = (address: string): RpcChannel => {
    const channel = openChannel({ address, tls: config.tls, metrics: registry, log });
    closing.push(`channel to ${address}`, () => channel.close());
    return channel;
  };
  try {
    closing.push('telemetry', await startTelemetry({ service: NAME, otlpEndpoint: config.OTEL_EXPORTER_OTLP_ENDPOINT }));
    const merchantChannel = open(config.MERCHANT_RPC);
    const merchants = merchantChannel.client(MerchantService);
    const directory = createMerchantDirectory({ merchants, log });
    closing.push('merchant directory', () => directory.close());
    const access = createAccessCache({ merchants, log });
    closing.push('access', () => access.close());
    const nats = openNats({ url: config.NATS_URL, name: NAME, log });
    closing.push('nats', () => nats.close());
    const hints = listenForMerchantHints({
      nats,
      log,
      onHint(hint) {
        access.mayHaveChanged(hint);
        directory.mayHaveChanged(hint);
      },
    });
    closing.push('hints', () => hints.close());
    const tokens = createTokenVerifier({ merchants, realNow, log });
    closing.push('token keys', () => tokens.close());

    const ledgerChannel = openLedgerChannel({ addresses: config.LEDGER_RPC, tls: config.tls, metrics: registry, log });
    closing.push('ledger channel', () => ledgerChannel.close());
    const moneyOutChannel = open(config.MONEY_OUT_RPC);
    const moneyInChannel = open(config.MONEY_IN_RPC);
    const context: Context = {
      merchants,
      accounts: merchantChannel.client(AccountService),
      ledger: ledgerChannel.client(LedgerService),
      statements: ledgerChannel.client(StatementService),
      disbursements: moneyOutChannel.client(DisbursementService),
      accountTransfers: moneyOutChannel.client(AccountTransferService),
      virtualAccounts: moneyInChannel.client(VirtualAccountService),
      qris: moneyInChannel.client(QrisService),
      ewalletCheckouts: moneyInChannel.client(EwalletCheckoutService),
      retail: moneyInChannel.client(RetailService),
      paymentLinks: moneyInChannel.client(PaymentLinkService),
      deliveries: open(config.NOTIFIER_RPC).client(DeliveryService),
      directory,
      access,
      tokens,
      merchantLimit: createRateLimit(config.RATE_LIMIT_PER_MINUTE),
      tokenLimit: createRateLimit(config.RATE_LIMIT_TOKEN_PER_MINUTE),
      retailLimit: createRateLimit(config.RATE_LIMIT_RETAIL_PER_MINUTE),
      trustedProxies: config.TRUSTED_PROXIES,
      realNow,
      metrics: createEdgeMetrics(registry),
      log,
    };
    const app = createApp(context);
    closing.push('http', () => app.close());
    await app.listen({ host: config.EDGE_HOST, port: config.EDGE_PORT });
    const railsApp = createRailsApp({
      moneyIn: moneyInChannel.client(RailService),
      partners: config.RAIL_PARTNERS,
      realNow,
      metrics: context.metrics,
      railMetrics: createRailMetrics(registry),
      log,
    });
    closing.push('rails', () => railsApp.close());
    await railsApp.listen({ host: config.RAILS_HOST, port: config.RAILS_PORT });
    const admin = await startAdmin({
      host: config.ADMIN_HOST,
      port: config.ADMIN_PORT,
      metrics: registry,
      ready: () => (access.isFresh() ? undefined : 'the merchant service does not answer'),
    });
    closing.push('admin', () => admin.close());
    const url = urlOf(app.server.address());
    const railsUrl = urlOf(railsApp.server.address());
    log.info({ url, rails_url: railsUrl }, 'ready');
    return { url, railsUrl, adminPort: admin.port, close: () => closing.close() };
  } catch (error) {
    await closing.close();
    throw error;
  }
}

function urlOf(address: AddressInfo | string | null): string {
  if (address === null || typeof address === 'string') throw new Error('the edge listens on no TCP port');
  return `http://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}`;
}
