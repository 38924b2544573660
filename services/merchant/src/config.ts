import { keysShape } from '@gerbang/keys';
import { tlsFromConfig } from '@gerbang/rpc';
import { busShape, commonShape, env, loadConfig, rpcShape, storeShape } from '@gerbang/runtime';
import { z } from 'zod';
import { oidcFromConfig, oidcSchema } from './oidc/settings.ts';

/** A number of sen. */
const sen = (fallback: bigint) =>
  z
    .string()
    .regex(/^\d{1,16}$/, 'expected a number of sen')
    .default(String(fallback))
    .transform(BigInt);

const shape = {
  ...commonShape,
  ...rpcShape,
  ...storeShape,
  ...busShape,
  ...keysShape,
  RPC_PORT: env.port(9101),
  ADMIN_PORT: env.port(9201),
  LEDGER_RPC: env.addresses(),
  /** Chain the audit log's entries and sign its checkpoints. */
  CHAIN_KEYS: env.keyRing(),
  /** A change of a fee by more than this, or of a percentage by more basis points, needs a second operator. */
  APPROVAL_FEE_SEN: sen(1_000_00n),
  APPROVAL_FEE_BASIS_POINTS: env.integer(20),
  /** Raising a bound above this needs a second operator; so does removing one. */
  APPROVAL_LIMIT_SEN: sen(100_000_000_00n),
  /** Where operators may log in, and what a login must be. */
  OPERATOR_OIDC_ISSUER: oidcSchema.issuer,
  OPERATOR_OIDC_AUDIENCE: oidcSchema.name,
  OPERATOR_OIDC_MAX_AGE_SECONDS: oidcSchema.maxAgeSeconds,
  OPERATOR_OIDC_REQUIRE_AMR: oidcSchema.list,
  OPERATOR_OIDC_REQUIRE_ACR: oidcSchema.list,
  OPERATOR_OIDC_ROLE_CLAIM: oidcSchema.name,
  OPERATOR_OIDC_ROLES: oidcSchema.roles,
  /** The ledger partitions that new merchants are spread over; a merchant stays in its own when they change. */
  MERCHANT_PARTITIONS: z
    .string()
    .regex(
      /^[a-z0-9][a-z0-9-]{0,31}(,[a-z0-9][a-z0-9-]{0,31})*$/,
      'expected lower-case letters, digits and dashes, separated by commas',
    )
    .default('p0,p1,p2,p3')
    .transform((text) => text.split(',')),
  /** How long one key signs access tokens before the next one does. */
  TOKEN_KEY_ROTATION_SECONDS: env.integer(86_400, 60),
};

export type Config = ReturnType<typeof readConfig>;

/** The only reader of the environment. Throws ConfigError. */
export function readConfig(environment: NodeJS.ProcessEnv) {
  const config = loadConfig(shape, environment);
  /** Whether callbacks may go to http:// URLs. */
  const httpAllowed = config.GERBANG_ENV === 'sandbox';
  return { ...config, httpAllowed, tls: tlsFromConfig(config), oidc: oidcFromConfig(config, httpAllowed) };
}
