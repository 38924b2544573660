import type { Clock } from '@gerbang/core';
import type { CheckoutService } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import type { RpcClient } from '@gerbang/rpc';
import type { Logger, RateLimiter } from '@gerbang/runtime';
import type { Assets } from './assets.ts';
import type { StreamPlaces } from './http/stream-places.ts';
import type { Metrics } from './metrics.ts';
import type { SessionWatch } from './payment-link/session-watch.ts';

/** The service's dependencies as one plain object. */
export type Context = {
  checkout: RpcClient<typeof CheckoutService>;
  watch: SessionWatch;
  /** How many status streams there may be. */
  places: StreamPlaces;
  addressLimit: RateLimiter;
  linkLimit: RateLimiter;
  /** Addresses and CIDR ranges whose X-Forwarded-For is believed. */
  trustedProxies: string[];
  /** Browsers are told to come back by TLS alone. */
  strictTransport: boolean;
  assets: Assets;
  clock: Clock;
  metrics: Metrics;
  log: Logger;
};
