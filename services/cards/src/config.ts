import { keysShape } from '@gerbang/keys';
import { settlementFromConfig, settlementShape } from '@gerbang/neighbours';
import { ACQUIRER_TLS_VERSIONS, DEFAULT_TERMS, parseAcquirerTerms } from '@gerbang/rails/card';
import { tlsFromConfig } from '@gerbang/rpc';
import { busShape, commonShape, env, loadConfig, rpcShape, storeShape } from '@gerbang/runtime';
import { z } from 'zod';

const shape = {
  ...commonShape,
  ...rpcShape,
  ...storeShape,
  ...busShape,
  ...settlementShape,
  ...keysShape,
  RPC_PORT: env.port(9108),
  ADMIN_PORT: env.port(9210),
  MERCHANT_RPC: env.address(),
  LEDGER_RPC: env.addresses(),
  PAY_URL: z.url().transform((url) => url.replace(/\/+$/, '')),
  /** An authorisation takes the issuer's time too. */
  RAIL_TIMEOUT_MS: env.integer(15_000, 1),
  RAIL_CARD_URL: z.url({ protocol: /^https?$/ }),
  RAIL_CARD_CLIENT_KEY: z.string().min(1),
  RAIL_CARD_CLIENT_SECRET: z.string().min(1),
  RAIL_CARD_TLS_MIN: z.enum(ACQUIRER_TLS_VERSIONS).default('1.3'),
  /** What the acquirer offers, JSON: docs/cards.md. */
  CARD_ACQUIRER_TERMS: z
    .string()
    .default(DEFAULT_TERMS)
    .transform((text, problem) => {
      const terms = parseAcquirerTerms(text);
      if (terms !== undefined) return terms;
      problem.addIssue('expected the terms of an acquirer as JSON');
      return z.NEVER;
    }),
  CARD_CAPTURE_SECONDS: env.integer(30, 0),
  CARD_3DS_SECONDS: env.integer(900, 60),
  /** Between the charges of a plan's cycle that fail. */
  CARD_PLAN_RETRY_SECONDS: env.integer(86_400, 1),
};

export type Config = ReturnType<typeof readConfig>;

/** The only reader of the environment. Throws ConfigError. */
export function readConfig(environment: NodeJS.ProcessEnv) {
  const config = loadConfig(shape, environment);
  return { ...config, settlesAt: settlementFromConfig(config), tls: tlsFromConfig(config) };
}
