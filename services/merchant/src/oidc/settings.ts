import { ConfigError } from '@gerbang/runtime';
import { z } from 'zod';
import { ROLES, type Role } from '../operators/operator.ts';

/** Values separated by commas. */
const list = z
  .string()
  .regex(/^[^,\s]+(,[^,\s]+)*$/, 'expected values separated by commas')
  .transform((text) => text.split(','));

/** Schemas of the variables of operators who log in at an OpenID provider. */
export const oidcSchema = {
  issuer: z
    .url({ protocol: /^https?$/ })
    .max(255)
    .optional(),
  name: z.string().min(1).max(255).optional(),
  list: list.optional(),
  maxAgeSeconds: z.coerce.number().int().min(60).max(43_200).default(900),
  roles: z
    .string()
    .transform((text, problem) => {
      const roles = parseRoles(text);
      if (roles !== undefined) return roles;
      problem.addIssue('expected value=role, more of them after commas; the roles are viewer, support, finance and admin');
      return z.NEVER;
    })
    .optional(),
};

type Variables = {
  OPERATOR_OIDC_ISSUER?: string | undefined;
  OPERATOR_OIDC_AUDIENCE?: string | undefined;
  OPERATOR_OIDC_MAX_AGE_SECONDS: number;
  OPERATOR_OIDC_REQUIRE_AMR?: string[] | undefined;
  OPERATOR_OIDC_REQUIRE_ACR?: string[] | undefined;
  OPERATOR_OIDC_ROLE_CLAIM?: string | undefined;
  OPERATOR_OIDC_ROLES?: ReadonlyMap<string, Role> | undefined;
};

/** What an ID token must have to be an operator's. */
export type OidcSettings = {
  issuer: string;
  /** The client id that `gerbang login` has at the provider. */
  audience: string;
  maxAgeSeconds: number;
  /** One of these must be in `amr`; one of those must be `acr`. Empty: any. */
  amr: readonly string[];
  acr: readonly string[];
  /** The claim that bounds the role, and the role for each of its values. */
  roles: { claim: string; byValue: ReadonlyMap<string, Role> } | undefined;
  /** Whether the provider may be reached without TLS. */
  httpAllowed: boolean;
};

/** Undefined where no provider is configured. Throws ConfigError. */
export function oidcFromConfig(config: Variables, httpAllowed: boolean): OidcSettings | undefined {
  const { OPERATOR_OIDC_ISSUER: issuer, OPERATOR_OIDC_AUDIENCE: audience } = config;
  const { OPERATOR_OIDC_ROLE_CLAIM: claim, OPERATOR_OIDC_ROLES: byValue } = config;
  const problems: string[] = [];
  if ((issuer === undefined) !== (audience === undefined))
    problems.push('OPERATOR_OIDC_ISSUER and OPERATOR_OIDC_AUDIENCE are needed together');
  if ((claim === undefined) !== (byValue === undefined))
    problems.push('OPERATOR_OIDC_ROLE_CLAIM and OPERATOR_OIDC_ROLES are needed together');
  if (issuer?.startsWith('http:') && !httpAllowed)
    problems.push('OPERATOR_OIDC_ISSUER is not safe: production requires https://');
  if (problems.length > 0) throw new ConfigError(problems);
  if (issuer === undefined || audience === undefined) return undefined;
  return {
    issuer,
    audience,
    maxAgeSeconds: config.OPERATOR_OIDC_MAX_AGE_SECONDS,
    amr: config.OPERATOR_OIDC_REQUIRE_AMR ?? [],
    acr: config.OPERATOR_OIDC_REQUIRE_ACR ?? [],
    roles: claim === undefined || byValue === undefined ? undefined : { claim, byValue },
    httpAllowed,
  };
}

function parseRoles(text: string): ReadonlyMap<string, Role> | undefined {
  const pairs = text.split(',').map((pair) => pair.split('='));
  const byValue = new Map<string, Role>();
  for (const [value = '', name, more] of pairs) {
    const role = ROLES.find((one) => one === name);
    if (value === '' || role === undefined || more !== undefined || byValue.has(value)) return undefined;
    byValue.set(value, role);
  }
  return byValue;
}
