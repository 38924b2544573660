import { tlsFromConfig } from '@gerbang/rpc';
import { busShape, commonShape, env, loadConfig, rpcShape, storeShape } from '@gerbang/runtime';

const shape = {
  ...commonShape,
  ...rpcShape,
  ...storeShape,
  ...busShape,
  RPC_PORT: env.port(9104),
  ADMIN_PORT: env.port(9204),
  MERCHANT_RPC: env.address(),
  MONEY_OUT_RPC: env.address(),
  MONEY_IN_RPC: env.address(),
  WEBHOOK_ALLOW_PRIVATE: env.flag(false),
  WEBHOOK_ENDPOINT_CONCURRENCY: env.integer(8, 1),
  WEBHOOK_CONCURRENCY: env.integer(512, 1),
  WEBHOOK_METRICS_ENDPOINTS: env.integer(50, 0),
};

export type Config = ReturnType<typeof readConfig>;

/** The only reader of the environment. Throws ConfigError. */
export function readConfig(environment: NodeJS.ProcessEnv) {
  const config = loadConfig(shape, environment);
  return { ...config, tls: tlsFromConfig(config) };
}
