import { type JWTPayload, type JWTVerifyResult, jwtVerify } from 'jose';
import { lesserRole, type Role } from '../operators/operator.ts';
import { type KeySet, ProviderUnreachable } from './key-set.ts';
import type { OidcSettings } from './settings.ts';

/** Only asymmetric ones: with another the public key would be the secret. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'];
const CLOCKS_DIFFER_SECONDS = 30;

/** Who has logged in. `roleMax` is what the provider's role claim allows at most; undefined where it does not matter. */
export type LoggedIn = { subject: string; roleMax: Role | undefined };

/** `isForbidden`: it is known who it is, and the provider gives that person no role. */
export type RefusedLogin = { reason: string; isForbidden?: boolean };

/**
 * Checks an ID token: that the provider has signed it for `gerbang login` lately, for a person who has logged in as is required,
 * and for the key that `nonce` is the hash of. Throws ProviderUnreachable.
 */
export async function checkIdToken(
  settings: OidcSettings,
  keySet: KeySet,
  token: string,
  expected: { nonce: string; nowMs: number },
): Promise<LoggedIn | RefusedLogin> {
  const verified = await verify(settings, keySet, token, expected.nowMs);
  if ('reason' in verified) return verified;
  const { payload, protectedHeader } = verified;
  const reason = whyNoLogin(settings, protectedHeader.typ, payload, expected.nonce);
  if (reason !== undefined) return { reason };
  const { sub: subject = '' } = payload;
  if (settings.roles === undefined) return { subject, roleMax: undefined };
  const roleMax = roleIn(settings.roles, payload);
  if (roleMax !== undefined) return { subject, roleMax };
  return { reason: `the claim ${settings.roles.claim} gives ${subject} no role`, isForbidden: true };
}

async function verify(
  { audience, maxAgeSeconds }: OidcSettings,
  keySet: KeySet,
  token: string,
  nowMs: number,
): Promise<JWTVerifyResult | RefusedLogin> {
  const { issuer, keys } = await keySet();
  try {
    return await jwtVerify(token, keys, {
      algorithms: ALGORITHMS,
      issuer,
      audience,
      requiredClaims: ['sub', 'iat', 'exp', 'nonce'],
      maxTokenAge: maxAgeSeconds,
      clockTolerance: CLOCKS_DIFFER_SECONDS,
      currentDate: new Date(nowMs),
    });
  } catch (error) {
    if (error instanceof ProviderUnreachable) throw error;
    const why = error instanceof Error ? error.message : String(error);
    const hasExpired = /^"(exp|iat)" claim/.test(why) ? '; run gerbang login again' : '';
    return { reason: `the ID token is refused: ${why}${hasExpired}` };
  }
}

/** What jose doesn't check; undefined where it is a login for this key. */
function whyNoLogin(settings: OidcSettings, type: string | undefined, payload: JWTPayload, nonce: string): string | undefined {
  const { audience, amr, acr } = settings;
  // An access or logout token of the same provider may have the same audience.
  if (type !== undefined && type.toUpperCase() !== 'JWT') return `the ID token is refused: it is of the type ${type}`;
  if ([payload.aud].flat().length !== 1) return 'the ID token is refused: it is for others too';
  if (payload.azp !== undefined && payload.azp !== audience) return 'the ID token is refused: it was issued to another client';
  if (payload.nonce !== nonce) return 'the ID token is refused: it was issued for another key';
  if (amr.length > 0 && !valuesOf(payload.amr).some((method) => amr.includes(method)))
    return `the login must be by ${amr.join(' or ')} ("amr")`;
  if (acr.length > 0 && !(typeof payload.acr === 'string' && acr.includes(payload.acr)))
    return `the login must be ${acr.join(' or ')} ("acr")`;
  return undefined;
}

/** The highest role that a value of the claim gives. */
function roleIn({ claim, byValue }: NonNullable<OidcSettings['roles']>, payload: JWTPayload): Role | undefined {
  let role: Role | undefined;
  for (const value of valuesOf(payload[claim])) {
    const given = byValue.get(value);
    if (given !== undefined && (role === undefined || lesserRole(role, given) === role)) role = given;
  }
  return role;
}

function valuesOf(claim: unknown): string[] {
  return [claim].flat().filter((value) => typeof value === 'string');
}
