import { parseVaSeries, SANDBOX_VA_SERIES } from '@gerbang/core';
import { settlementFromConfig, settlementShape } from '@gerbang/neighbours';
import { tlsFromConfig } from '@gerbang/rpc';
import { busShape, ConfigError, commonShape, env, loadConfig, rpcShape, storeShape } from '@gerbang/runtime';
import { z } from 'zod';
import { railsShape } from './rails.ts';
import { historyShape } from './reconciliation/rails.ts';

const shape = {
  ...commonShape,
  ...rpcShape,
  ...storeShape,
  ...busShape,
  ...settlementShape,
  ...railsShape,
  ...historyShape,
  RPC_PORT: env.port(9105),
  ADMIN_PORT: env.port(9206),
  MERCHANT_RPC: env.address(),
  LEDGER_RPC: env.addresses(),
  PAY_URL: z.url().transform((url) => url.replace(/\/+$/, '')),
  VA_PREFIXES: z.string().default(''),
  PAYMENT_LINK_SESSION_SECONDS: env.integer(900, 1),
  PAYMENT_LINK_HOLD_SECONDS: env.integer(300, 1),
  RAIL_TIMEOUT_MS: env.integer(5_000, 1),
  SUSPENSE_PARTITION: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,64}$/)
    .default('p0'),
};

export type Config = ReturnType<typeof readConfig>;

/** The only reader of the environment. Throws ConfigError. */
export function readConfig(environment: NodeJS.ProcessEnv) {
  const config = loadConfig(shape, environment);
  const isSandbox = config.GERBANG_ENV === 'sandbox';
  // The sandbox's numbers belong to no bank of ours: a customer who paid one would pay a stranger, or no one.
  if (!isSandbox && config.VA_PREFIXES.trim() === '')
    throw new ConfigError(['VA_PREFIXES is not set; it is required in production']);
  const vaSeries = parseVaSeries(config.VA_PREFIXES, isSandbox ? SANDBOX_VA_SERIES : {});
  if (vaSeries === undefined || Object.keys(vaSeries).length === 0)
    throw new ConfigError(['VA_PREFIXES is not valid: expected bank=prefix/length, more of them after commas']);
  return { ...config, tls: tlsFromConfig(config), vaSeries, settlesAt: settlementFromConfig(config) };
}
