import { parseVaSeries, SANDBOX_VA_SERIES } from '@gerbang/core';
import { settlementFromConfig, settlementShape } from '@gerbang/neighbours';
import { tlsFromConfig } from '@gerbang/rpc';
import { busShape, ConfigError, commonShape, env, loadConfig, rpcShape, storeShape } from '@gerbang/runtime';
import { z } from 'zod';
import { historyShape } from './reconciliation/rails.ts';

const pem = z.base64().transform((text) => Buffer.from(text, 'base64').toString());

const shape = {
  ...commonShape,
  ...rpcShape,
  ...storeShape,
  ...busShape,
  ...settlementShape,
  ...historyShape,
  RPC_PORT: env.port(9105),
  ADMIN_PORT: env.port(9206),
  MERCHANT_RPC: env.address(),
  LEDGER_RPC: env.addresses(),
  STREAM_REPLICAS: env.integer(1, 1),
  PAY_URL: z.url().transform((url) => url.replace(/\/+$/, '')),
  VA_PREFIXES: z.string().default(''),
  PAYMENT_LINK_SESSION_SECONDS: env.integer(900, 1),
  RAIL_TIMEOUT_MS: env.integer(5_000, 1),
  RAIL_QRIS_URL: z.url(),
  RAIL_QRIS_CLIENT_KEY: z.string().min(1),
  RAIL_QRIS_CLIENT_SECRET: z.string().min(1),
  RAIL_QRIS_PRIVATE_KEY: pem,
  RAIL_QRIS_PARTNER_ID: z.string().min(1),
  RAIL_QRIS_CHANNEL_ID: z.string().min(1),
  RAIL_QRIS_CALLBACK_PARTNER_ID: z.string().min(1),
  RAIL_QRIS_MERCHANT_ID: z.string().min(1),
  RAIL_QRIS_ACQUIRER_NAME: z.string().default(''),
  RAIL_QRIS_MERCHANT_CITY: z.string().default('Jakarta'),
  RAIL_EWALLET_URL: z.url(),
  RAIL_EWALLET_CLIENT_KEY: z.string().min(1),
  RAIL_EWALLET_CLIENT_SECRET: z.string().min(1),
  RAIL_EWALLET_PRIVATE_KEY: pem,
  RAIL_EWALLET_PARTNER_ID: z.string().min(1),
  RAIL_EWALLET_CHANNEL_ID: z.string().min(1),
  RAIL_EWALLET_CALLBACK_PARTNER_ID: z.string().min(1),
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
