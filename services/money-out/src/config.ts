import { keysShape } from '@gerbang/keys';
import { tlsFromConfig } from '@gerbang/rpc';
import { busShape, commonShape, env, loadConfig, rpcShape, storeShape } from '@gerbang/runtime';
import { railsShape } from './products.ts';
import { historyShape } from './reconciliation/rails.ts';

const shape = {
  ...commonShape,
  ...rpcShape,
  ...storeShape,
  ...busShape,
  ...keysShape,
  ...railsShape,
  ...historyShape,
  RPC_PORT: env.port(9103),
  ADMIN_PORT: env.port(9203),
  MERCHANT_RPC: env.address(),
  LEDGER_RPC: env.addresses(),
  RAIL_TIMEOUT_MS: env.integer(5_000, 1),
};

export type Config = ReturnType<typeof readConfig>;

/** The only reader of the environment. Throws ConfigError. */
export function readConfig(environment: NodeJS.ProcessEnv) {
  const config = loadConfig(shape, environment);
  return { ...config, tls: tlsFromConfig(config) };
}
