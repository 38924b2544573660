import { keysShape } from '@gerbang/keys';
import { settlementFromConfig, settlementShape } from '@gerbang/neighbours';
import { ACQUIRER_TLS_VERSIONS, DEFAULT_TERMS, parseAcquirerTerms } from '@gerbang/rails/card';
import { tlsFromConfig } from '@gerbang/rpc';
import { busShape, ConfigError, commonShape, env, loadConfig, rpcShape, storeShape } from '@gerbang/runtime';
import { z } from 'zod';
import { DEFAULT_VELOCITY_LIMITS, parseVelocityLimits } from './limits/limit.ts';

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
  MONEY_IN_RPC: env.address(),
  PAY_URL: z.url().transform((url) => url.replace(/\/+$/, '')),
  /** An authorisation takes the issuer's time too. */
  RAIL_TIMEOUT_MS: env.integer(15_000, 1, 20_000),
  /** How the acquirer is spoken to. Each way needs its own variables. */
  CARD_ACQUIRER: z.enum(['rest', 'iso8583']).default('rest'),
  RAIL_CARD_URL: z.url({ protocol: /^https?$/ }).optional(),
  RAIL_CARD_CLIENT_KEY: z.string().optional(),
  RAIL_CARD_CLIENT_SECRET: z.string().optional(),
  RAIL_CARD_TLS_MIN: z.enum(ACQUIRER_TLS_VERSIONS).default('1.3'),
  CARD_ISO8583_HOST: z.string().optional(),
  CARD_ISO8583_PORT: z.coerce.number().int().min(1).max(65_535).optional(),
  CARD_ISO8583_TLS: env.flag(true),
  CARD_ISO8583_TLS_CA: z.string().optional(),
  CARD_ISO8583_TLS_CERT: z.string().optional(),
  CARD_ISO8583_TLS_KEY: z.string().optional(),
  CARD_ISO8583_TERMINAL_ID: z
    .string()
    .regex(/^[A-Za-z0-9]{1,8}$/, 'expected at most 8 letters and digits')
    .optional(),
  CARD_ISO8583_MERCHANT_ID: z
    .string()
    .regex(/^[A-Za-z0-9]{1,15}$/, 'expected at most 15 letters and digits')
    .optional(),
  CARD_ISO8583_ACQUIRER_ID: z
    .string()
    .regex(/^[0-9]{0,11}$/, 'expected at most 11 digits')
    .default(''),
  CARD_ISO8583_CITY: z.string().default('JAKARTA'),
  /** Where the acquirer tells its books; without it the rail is not reconciled. */
  RAIL_CARD_HISTORY_URL: z.url({ protocol: /^https?$/ }).optional(),
  HISTORY_TIMEOUT_MS: env.integer(30_000, 1),
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
  /** The acquirer's name in metrics. */
  CARD_ACQUIRER_NAME: z
    .string()
    .regex(/^[a-z0-9-]{1,32}$/, 'expected lower-case letters, digits and dashes')
    .default('default'),
  /** Bounds against card testing, JSON: docs/cards.md. */
  CARD_VELOCITY_LIMITS: z
    .string()
    .default(DEFAULT_VELOCITY_LIMITS)
    .transform((text, problem) => {
      const limits = parseVelocityLimits(text);
      if (limits !== undefined) return limits;
      problem.addIssue('expected limits of card testing as JSON');
      return z.NEVER;
    }),
  CARD_CAPTURE_SECONDS: env.integer(30, 0),
  CARD_3DS_SECONDS: env.integer(900, 60),
  /** Between the charges of a plan's cycle that fail. */
  CARD_PLAN_RETRY_SECONDS: env.integer(86_400, 1),
  /** Whole rupiah. */
  CARD_CHARGEBACK_FEE: env.integer(0, 0),
  SUSPENSE_PARTITION: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,64}$/)
    .default('p0'),
  /** Charges of plans that the acquirer gets from one replica at once. */
  CARD_PLAN_CHARGES: env.integer(32, 1),
};

export type Config = ReturnType<typeof readConfig>;

/** The only reader of the environment. Throws ConfigError. */
export function readConfig(environment: NodeJS.ProcessEnv) {
  const config = loadConfig(shape, environment);
  return {
    ...config,
    settlesAt: settlementFromConfig(config),
    tls: tlsFromConfig(config),
    acquirer: acquirerFrom(config),
    history: historyFrom(config),
  };
}

type Read = z.output<z.ZodObject<typeof shape>>;

/** How the acquirer is reached, by the way that is configured. Throws ConfigError where a variable of that way is not set. */
function acquirerFrom(config: Read) {
  const { RAIL_CARD_TLS_MIN: tlsMin } = config;
  if (config.CARD_ACQUIRER === 'rest') {
    const { RAIL_CARD_URL: url, RAIL_CARD_CLIENT_KEY: clientKey, RAIL_CARD_CLIENT_SECRET: clientSecret } = config;
    if (url === undefined || clientKey === undefined || clientSecret === undefined)
      throw missing(config, ['RAIL_CARD_URL', 'RAIL_CARD_CLIENT_KEY', 'RAIL_CARD_CLIENT_SECRET']);
    return { kind: 'rest' as const, url, clientKey, clientSecret, tlsMin };
  }
  const { CARD_ISO8583_HOST: host, CARD_ISO8583_PORT: port } = config;
  const { CARD_ISO8583_TERMINAL_ID: terminalId, CARD_ISO8583_MERCHANT_ID: merchantId } = config;
  if (host === undefined || port === undefined || terminalId === undefined || merchantId === undefined)
    throw missing(config, ['CARD_ISO8583_HOST', 'CARD_ISO8583_PORT', 'CARD_ISO8583_TERMINAL_ID', 'CARD_ISO8583_MERCHANT_ID']);
  const { CARD_ISO8583_ACQUIRER_ID: acquirerId, CARD_ISO8583_CITY: city } = config;
  const { CARD_ISO8583_TLS_CA: ca, CARD_ISO8583_TLS_CERT: cert, CARD_ISO8583_TLS_KEY: key } = config;
  const tls = config.CARD_ISO8583_TLS ? { minVersion: tlsMin, ca, cert, key } : undefined;
  return { kind: 'iso8583' as const, host, port, tls, terminalId, merchantId, acquirerId, city };
}

/** Where the acquirer's books are read, which it signs alike by either way. Throws ConfigError. */
function historyFrom(config: Read) {
  const { RAIL_CARD_HISTORY_URL: url, RAIL_CARD_CLIENT_KEY: clientKey, RAIL_CARD_CLIENT_SECRET: clientSecret } = config;
  if (url === undefined) return undefined;
  if (clientKey === undefined || clientSecret === undefined)
    throw missing(config, ['RAIL_CARD_CLIENT_KEY', 'RAIL_CARD_CLIENT_SECRET'], 'RAIL_CARD_HISTORY_URL');
  return { url, clientKey, clientSecret, tlsMin: config.RAIL_CARD_TLS_MIN, pageTimeoutMs: config.HISTORY_TIMEOUT_MS };
}

function missing(config: Read, variables: readonly (keyof Read)[], by = `CARD_ACQUIRER=${config.CARD_ACQUIRER}`): ConfigError {
  const absent = variables.filter((variable) => config[variable] === undefined);
  return new ConfigError(absent.map((variable) => `${variable} is not set; ${by} needs it`));
}
