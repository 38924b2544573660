import type { Clock } from '@gerbang/core';
import type { CardPageService } from '@gerbang/proto/gerbang/cards/v1/cards';
import type { BindPageService } from '@gerbang/proto/gerbang/direct_debit/v1/direct_debit';
import type { CheckoutService, EwalletStatus, PaymentLinkHistory } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import type { RpcClient } from '@gerbang/rpc';
import type { Logger, Permits, RateLimiter, SecurityEvents } from '@gerbang/runtime';
import type { LimitMetrics } from '@gerbang/service';
import type { Assets } from './assets.ts';
import type { Metrics } from './metrics.ts';
import type { Watch } from './status/watch.ts';

/** The service's dependencies as one plain object. */
export type Context = {
  checkout: RpcClient<typeof CheckoutService>;
  /** Bank accounts that customers bind. */
  bindings: RpcClient<typeof BindPageService>;
  /** Payments by card whose customers come back from 3DS. */
  cards: RpcClient<typeof CardPageService>;
  /** The sessions of payment links that pages follow. */
  sessions: Watch<PaymentLinkHistory>;
  /** The e-wallet checkouts that pages follow. */
  ewallets: Watch<EwalletStatus>;
  /** Of status streams, which stay open for long, by address. */
  streamPermits: Permits;
  /** Rates: of an address, of what creates something for a link or checkout, and of that what one address may. */
  pageLimits: { address: RateLimiter; link: RateLimiter; linkAddress: RateLimiter };
  limitMetrics: LimitMetrics;
  /** Addresses and CIDR ranges whose X-Forwarded-For is believed. */
  trustedProxies: string[];
  /** Browsers are to come back only by TLS. */
  strictTransport: boolean;
  assets: Assets;
  clock: Clock;
  metrics: Metrics;
  log: Logger;
  security: SecurityEvents;
};
