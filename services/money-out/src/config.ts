import { tlsFromConfig } from '@gerbang/rpc';
import { busShape, commonShape, env, loadConfig, rpcShape, storeShape } from '@gerbang/runtime';
import { z } from 'zod';

const shape = {
  ...commonShape,
  ...rpcShape,
  ...storeShape,
  ...busShape,
  RPC_PORT: env.port(9103),
  ADMIN_PORT: env.port(9203),
  MERCHANT_RPC: env.address(),
  LEDGER_RPC: env.addresses(),
  STREAM_REPLICAS: env.integer(1, 1),
  RAIL_TIMEOUT_MS: env.integer(5_000, 1),
  RAIL_BANK_TRANSFER_URL: z.url(),
  RAIL_BANK_TRANSFER_CLIENT_KEY: z.string().min(1),
  RAIL_BANK_TRANSFER_CLIENT_SECRET: z.string().min(1),
  RAIL_BANK_TRANSFER_PRIVATE_KEY: z.base64().transform((text) => Buffer.from(text, 'base64').toString()),
  RAIL_BANK_TRANSFER_PARTNER_ID: z.string().min(1),
  RAIL_BANK_TRANSFER_CHANNEL_ID: z.string().min(1),
};

export type Config = ReturnType<typeof readConfig>;

/** The only reader of the environment. Throws ConfigError. */
export function readConfig(environment: NodeJS.ProcessEnv) {
  const config = loadConfig(shape, environment);
  return { ...config, tls: tlsFromConfig(config) };
}
