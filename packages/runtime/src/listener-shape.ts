import { env } from './config.ts';

/** Variables of a service that listens for HTTP. */
export const listenerShape = {
  HEADERS_TIMEOUT_MS: env.integer(10_000, 100),
  REQUEST_TIMEOUT_MS: env.integer(20_000, 100),
  CONNECTIONS_MAX: env.integer(10_000, 1),
  CONNECTIONS_ADDRESS_MAX: env.integer(2_000, 1),
  REPLICAS: env.integer(1, 1),
};
