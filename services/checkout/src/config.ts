import { isIP } from 'node:net';
import { tlsFromConfig } from '@gerbang/rpc';
import { commonShape, env, listenerShape, loadConfig, tlsShape } from '@gerbang/runtime';
import { z } from 'zod';

const shape = {
  ...commonShape,
  ...tlsShape,
  ...listenerShape,
  ADMIN_PORT: env.port(9207),
  PAY_HOST: env.host(),
  PAY_PORT: env.port(8081),
  MONEY_IN_RPC: env.address(),
  DIRECT_DEBIT_RPC: env.address(),
  CARDS_RPC: env.address(),
  /** Addresses and CIDR ranges of proxies whose X-Forwarded-For is believed; none by default (contract §3). */
  TRUSTED_PROXIES: z
    .string()
    .default('')
    .transform((text, problem) => {
      const ranges = text.split(',').flatMap((part) => (part.trim() === '' ? [] : [part.trim()]));
      if (ranges.every(isRange)) return ranges;
      problem.addIssue('expected addresses and CIDR ranges, separated by commas');
      return z.NEVER;
    }),
  RATE_LIMIT_ADDRESS_PER_MINUTE: env.integer(600, 1),
  RATE_LIMIT_LINK_PER_MINUTE: env.integer(1_200, 1),
  LINK_LIMIT_ADDRESS_PER_MINUTE: env.integer(120, 1),
  STATUS_STREAMS_MAX: env.integer(5_000, 1),
  STATUS_STREAMS_ADDRESS_MAX: env.integer(200, 1),
  STATUS_INTERVAL_MS: env.integer(1_000, 50),
};

export type Config = ReturnType<typeof readConfig>;

/** The only reader of the environment. Throws ConfigError. */
export function readConfig(environment: NodeJS.ProcessEnv) {
  const config = loadConfig(shape, environment);
  return { ...config, tls: tlsFromConfig(config) };
}

/** An address, or one with the length of its prefix. */
function isRange(text: string): boolean {
  const [address = '', length] = text.split('/', 2);
  const version = isIP(address);
  if (version === 0) return false;
  return length === undefined || (/^\d{1,3}$/.test(length) && Number(length) <= (version === 4 ? 32 : 128));
}
