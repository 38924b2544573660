import { tlsFromConfig } from '@gerbang/rpc';
import { busShape, commonShape, env, listenerShape, loadConfig, tlsShape } from '@gerbang/runtime';
import { z } from 'zod';
import { parseTrustedProxies } from './http/ip-whitelist.ts';
import { NO_PARTNERS, readPartners } from './rails/partners.ts';

const shape = {
  ...commonShape,
  ...busShape,
  ...tlsShape,
  ...listenerShape,
  ADMIN_PORT: env.port(9200),
  EDGE_HOST: env.host(),
  EDGE_PORT: env.port(8080),
  MERCHANT_RPC: env.address(),
  LEDGER_RPC: env.addresses(),
  MONEY_OUT_RPC: env.address(),
  MONEY_IN_RPC: env.address(),
  NOTIFIER_RPC: env.address(),
  BILLER_RPC: env.address(),
  BILLER_HOST: env.host(),
  BILLER_PORT: env.port(8090),
  /** Where merchants reach the listener of the biller: what the API's document says. */
  BILLER_URL: z.url({ protocol: /^https?$/ }).optional(),
  DIRECT_DEBIT_RPC: env.address(),
  CARDS_RPC: env.address(),
  RAILS_HOST: env.host(),
  RAILS_PORT: env.port(8082),
  /** File that names the banks and acquirers that may call, and their keys; without it none may. */
  RAIL_PARTNERS: z
    .string()
    .optional()
    .transform((path, problem) => {
      if (path === undefined) return NO_PARTNERS;
      return readPartners(path, (text) => problem.addIssue(text)) ?? z.NEVER;
    }),
  /** Addresses and CIDR ranges of proxies whose X-Forwarded-For is believed; none by default (contract §3). */
  TRUSTED_PROXIES: z
    .string()
    .default('')
    .transform((text, problem) => {
      const proxies = parseTrustedProxies(text);
      if (proxies !== undefined) return proxies;
      problem.addIssue('expected addresses and CIDR ranges, separated by commas');
      return z.NEVER;
    }),
  /** Requests a minute, per merchant (contract §2). */
  RATE_LIMIT_PER_MINUTE: env.integer(6_000, 1),
  /** Requests to create a retail transaction a minute, per merchant (contract §2). */
  RATE_LIMIT_RETAIL_PER_MINUTE: env.integer(60, 1),
  /** Requests to the token endpoints a minute, per client and address (contract §2). */
  RATE_LIMIT_TOKEN_PER_MINUTE: env.integer(120, 1),
  /** Refused credentials at the token endpoints a minute, per address; those of rails have as many. */
  TOKEN_FAILURES_PER_MINUTE: env.integer(600, 1),
  /** Calls of banks and acquirers under way at once. */
  RAIL_CALLS_MAX: env.integer(256, 1),
  RAIL_CALLS_PARTNER_MAX: env.integer(128, 1),
  /** Statements under way as CSV. */
  CSV_STREAMS_MAX: env.integer(200, 1),
  CSV_STREAMS_MERCHANT_MAX: env.integer(10, 1),
  /** In how long the reader of a CSV takes a page. */
  CSV_READ_TIMEOUT_MS: env.integer(60_000, 100),
  /**
   * What bodies that are not complete may take of the memory: of all merchants; of all callers that are not known yet, at the
   * public routes and once more on the rails listener; and of one merchant or address.
   */
  UNFINISHED_BODIES_MIB: env.integer(128, 1),
  UNFINISHED_BODIES_UNKNOWN_MIB: env.integer(32, 1),
  UNFINISHED_BODIES_CALLER_MIB: env.integer(16, 1),
  /** The reference pages, /docs; by default they are on in the sandbox only. */
  API_DOCS: z.enum(['on', 'off']).optional(),
};

export type Config = ReturnType<typeof readConfig>;

/** The only reader of the environment. Throws ConfigError. */
export function readConfig(environment: NodeJS.ProcessEnv) {
  const config = loadConfig(shape, environment);
  const showsDocs = (config.API_DOCS ?? (config.GERBANG_ENV === 'sandbox' ? 'on' : 'off')) === 'on';
  const billerUrl = config.BILLER_URL ?? `http://127.0.0.1:${config.BILLER_PORT}`;
  return { ...config, billerUrl, showsDocs, tls: tlsFromConfig(config) };
}
