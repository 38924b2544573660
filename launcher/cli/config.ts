import { tlsFromConfig } from '@gerbang/rpc';
import { env, loadConfig, tlsShape } from '@gerbang/runtime';

const shape = {
  ...tlsShape,
  MERCHANT_RPC: env.address().default('127.0.0.1:9101'),
  LEDGER_RPC: env.addresses().prefault('127.0.0.1:9102'),
  MONEY_OUT_RPC: env.address().default('127.0.0.1:9103'),
  MONEY_IN_RPC: env.address().default('127.0.0.1:9105'),
  NOTIFIER_RPC: env.address().default('127.0.0.1:9104'),
  GERBANG_CLIENT_SECRET: env.secret(),
};

export type Config = ReturnType<typeof readConfig>;

/** Where the running system is; the development addresses unless the environment says otherwise. Throws ConfigError. */
export function readConfig(environment: NodeJS.ProcessEnv) {
  const config = loadConfig(shape, environment);
  return { ...config, tls: tlsFromConfig(config) };
}
