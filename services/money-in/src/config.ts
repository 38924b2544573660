import { parseVaSeries, SANDBOX_VA_SERIES } from '@gerbang/core';
import { tlsFromConfig } from '@gerbang/rpc';
import {
  busShape,
  ConfigError,
  commonShape,
  env,
  loadConfig,
  rpcShape,
  settlementFromConfig,
  settlementShape,
  storeShape,
} from '@gerbang/runtime';
import { z } from 'zod';

const shape = {
  ...commonShape,
  ...rpcShape,
  ...storeShape,
  ...busShape,
  ...settlementShape,
  RPC_PORT: env.port(9105),
  ADMIN_PORT: env.port(9206),
  MERCHANT_RPC: env.address(),
  LEDGER_RPC: env.addresses(),
  STREAM_REPLICAS: env.integer(1, 1),
  PAY_URL: z.url().transform((url) => url.replace(/\/+$/, '')),
  VA_PREFIXES: z.string().default(''),
  PAYMENT_LINK_SESSION_SECONDS: env.integer(900, 1),
  SUSPENSE_PARTITION: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,64}$/)
    .default('p0'),
};

export type Config = ReturnType<typeof readConfig>;

/** The only reader of the environment. Throws ConfigError. */
export function readConfig(environment: NodeJS.ProcessEnv) {
  const config = loadConfig(shape, environment);
  const vaSeries = parseVaSeries(config.VA_PREFIXES, SANDBOX_VA_SERIES);
  if (vaSeries === undefined)
    throw new ConfigError(['VA_PREFIXES is not valid: expected bank=prefix/length, more of them after commas']);
  return { ...config, tls: tlsFromConfig(config), vaSeries, settlesAt: settlementFromConfig(config) };
}
