import { type KeyRing, parseKeyRing } from '@gerbang/core';
import { z } from 'zod';

/** What a service refuses to start with: one line for each variable that is missing or wrong. */
export class ConfigError extends Error {
  constructor(lines: string[]) {
    super(lines.join('\n'));
    this.name = 'ConfigError';
  }
}

/**
 * Reads the environment once through a schema whose keys are the variables' names. An empty variable counts as absent.
 * Throws ConfigError with a line that names each missing or wrong variable; values are never printed, they may be secrets.
 */
export function loadConfig<Shape extends z.ZodRawShape>(shape: Shape, env: NodeJS.ProcessEnv): z.output<z.ZodObject<Shape>> {
  const present = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''));
  const parsed = z.object(shape).safeParse(present);
  if (parsed.success) return parsed.data;
  throw new ConfigError(
    parsed.error.issues.map((issue) => {
      const name = String(issue.path[0]);
      return present[name] === undefined ? `${name} is not set; it is required` : `${name} is not valid: ${issue.message}`;
    }),
  );
}

/** Schemas for the kinds of values that services share. */
export const env = {
  port: (fallback: number) => z.coerce.number().int().min(0).max(65_535).default(fallback),
  host: () => z.string().default('127.0.0.1'),
  address: () => z.string().regex(/^[^\s:]+:\d+$/, 'expected host:port'),
  /** One or more, separated by commas. */
  addresses: () =>
    z
      .string()
      .regex(/^[^\s:,]+:\d+(,[^\s:,]+:\d+)*$/, 'expected host:port, more of them after commas')
      .transform((text) => text.split(',')),
  integer: (fallback: number, min = 0, max = Number.MAX_SAFE_INTEGER) =>
    z.coerce.number().int().min(min).max(max).default(fallback),
  flag: (fallback: boolean) =>
    z
      .enum(['true', 'false'])
      .default(fallback ? 'true' : 'false')
      .transform((value) => value === 'true'),
  /** Key-encryption keys, `kid:base64(32 bytes)[,…]`: the first seals, all of them open. */
  keyRing: () =>
    z.string().transform((text, problem): KeyRing => {
      const ring = parseKeyRing(text);
      if (ring !== undefined) return ring;
      problem.addIssue('expected kid:base64 of 32 bytes, more of them after commas, each kid once');
      return z.NEVER;
    }),
  /** One that may be given in another way as well. */
  secret: () => z.string().optional(),
};

/** One step of a service's closing takes 10 s at most. */
const DRAIN_DELAY_MAX_MS = 8_000;

/** Variables that every service reads. */
export const commonShape = {
  GERBANG_ENV: z.enum(['sandbox', 'production']),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
  OTEL_EXPORTER_OTLP_ENDPOINT: z.url().optional(),
  SANDBOX_CLOCK_URL: z.url().optional(),
  ADMIN_HOST: env.host(),
  DRAIN_DELAY_MS: env.integer(0, 0, DRAIN_DELAY_MAX_MS),
};

/** Variables of who calls services by gRPC. */
export const tlsShape = {
  RPC_TLS_CA: z.string().optional(),
  RPC_TLS_CERT: z.string().optional(),
  RPC_TLS_KEY: z.string().optional(),
  /** Whose certificates are believed: their URI is `spiffe://<trust domain>/gerbang/<service>`. */
  RPC_TRUST_DOMAIN: z
    .string()
    .regex(/^[a-z0-9._-]{1,255}$/, 'expected lower-case letters, digits, dots, dashes and underscores')
    .default('gerbang.internal'),
};

/** Variables of a service that listens for gRPC. */
export const rpcShape = { RPC_HOST: env.host(), ...tlsShape };

/** Variables of a service with a database. */
export const storeShape = {
  MONGODB_URI: z.string().regex(/^mongodb(\+srv)?:\/\//, 'expected a mongodb:// address'),
  MONGODB_DB_PREFIX: z
    .string()
    .regex(/^[a-z0-9_-]{1,40}$/)
    .default('gerbang_'),
};

/** Variables of a service that publishes or consumes events. */
export const busShape = {
  NATS_URL: z.string().regex(/^(nats|tls):\/\//, 'expected a nats:// address'),
  NATS_USER: z.string().optional(),
  NATS_PASSWORD: z.string().optional(),
  NATS_CREDS: z.string().optional(),
  NATS_NKEY_SEED: z.string().optional(),
  NATS_TLS_CA: z.string().optional(),
  NATS_TLS_CERT: z.string().optional(),
  NATS_TLS_KEY: z.string().optional(),
  STREAM_REPLICAS: env.integer(1, 1),
};
