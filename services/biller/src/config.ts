import { keysShape } from '@gerbang/keys';
import { railVariables } from '@gerbang/rails';
import { tlsFromConfig } from '@gerbang/rpc';
import { busShape, ConfigError, commonShape, env, loadConfig, rpcShape, storeShape } from '@gerbang/runtime';
import { z } from 'zod';
import { PRODUCTION_CUT_OFF, parseCutOff } from './cut-off.ts';

const shape = {
  ...commonShape,
  ...rpcShape,
  ...storeShape,
  ...busShape,
  ...keysShape,
  RPC_PORT: env.port(9107),
  ADMIN_PORT: env.port(9209),
  MERCHANT_RPC: env.address(),
  LEDGER_RPC: env.addresses(),
  RAIL_TIMEOUT_MS: env.integer(5_000, 1),
  ...railVariables('BILLER'),
  /** When a kind of product is not sold: command=HH:MM-HH:MM of Asia/Jakarta, more of them after commas; or none. */
  PREPAID_CUT_OFF: z.string().optional(),
};

export type Config = ReturnType<typeof readConfig>;

/** The only reader of the environment. Throws ConfigError. */
export function readConfig(environment: NodeJS.ProcessEnv) {
  const config = loadConfig(shape, environment);
  const cutOff = parseCutOff(config.PREPAID_CUT_OFF ?? (config.GERBANG_ENV === 'production' ? PRODUCTION_CUT_OFF : 'none'));
  if (cutOff === undefined)
    throw new ConfigError(['PREPAID_CUT_OFF is not valid: expected command=HH:MM-HH:MM, more of them after commas, or none']);
  return { ...config, cutOff, tls: tlsFromConfig(config) };
}
