import { createHash, randomUUID } from 'node:crypto';
import type { Authorize } from '@gerbang/rpc';
import { decodeJwt, exportJWK, generateKeyPair, importJWK, type JWK, jwtVerify, SignJWT } from 'jose';

/** Who says who an operator is, where the operator's own key does. */
export const CLI_ISSUER = 'gerbang-cli';

const ALGORITHM = 'EdDSA';
const TYPE = 'gerbang-operator+jwt';
/** A token is for one call, which is sent at once. */
const VALID_SECONDS = 60;
/** How far the clocks of an operator's machine and a service may differ. */
const CLOCKS_DIFFER_SECONDS = 30;

/** An operator's own key, as the operator keeps it: `privateKey` is the JWK of an Ed25519 key. */
export type OperatorKey = { id: string; privateKey: JWK };

/** What a token must be for. `requestHash` is that of `hashRequest`. */
export type ExpectedCall = { audience: string; method: string; requestHash: string; nowMs: number };

/** Makes a key for an operator. */
export async function newOperatorKey(id: string): Promise<OperatorKey> {
  const { privateKey } = await generateKeyPair(ALGORITHM, { crv: 'Ed25519', extractable: true });
  return { id, privateKey: await exportJWK(privateKey) };
}

/** The public half, base64url, as operators are enrolled with it. */
export function publicKeyOf({ privateKey }: OperatorKey): string {
  if (privateKey.kty !== 'OKP' || privateKey.crv !== 'Ed25519' || privateKey.x === undefined) {
    throw new Error('the key of an operator must be Ed25519');
  }
  return privateKey.x;
}

/** SHA-256 of an encoded request, base64url. */
export function hashRequest(request: Uint8Array): string {
  return createHash('sha256').update(request).digest('base64url');
}

/**
 * Signs the operator's calls of a service, each with a token of its own: it names the operator, the service, the method and the
 * request, and ends after a minute.
 */
export function operatorAuthorizer({ id, privateKey }: OperatorKey, service: string, now = Date.now): Authorize {
  const imported = importJWK(privateKey, ALGORITHM);
  // Without a listener a key that is none would end the process before the first call.
  imported.catch(() => {});
  return async ({ method, request }) => {
    const issuedAt = Math.floor(now() / 1_000);
    const token = await new SignJWT({ method, request: hashRequest(request) })
      .setProtectedHeader({ alg: ALGORITHM, typ: TYPE })
      .setIssuer(CLI_ISSUER)
      .setSubject(id)
      .setAudience(service)
      .setIssuedAt(issuedAt)
      .setExpirationTime(issuedAt + VALID_SECONDS)
      .setJti(randomUUID())
      .sign(await imported);
    return `Bearer ${token}`;
  };
}

/** Whose token it says that it is, before anything is checked; undefined where it can't be read. */
export function claimedSubject(token: string): { issuer: string; subject: string } | undefined {
  try {
    const { iss, sub } = decodeJwt(token);
    return typeof iss === 'string' && typeof sub === 'string' ? { issuer: iss, subject: sub } : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Checks a token against the operator's public key and the call that it came with. Gives its id, and when it can no longer be
 * used, or why it is refused.
 */
export async function verifyOperatorToken(
  token: string,
  publicKey: string,
  expected: ExpectedCall,
): Promise<{ tokenId: string; endsMs: number } | { reason: string }> {
  try {
    const key = await importJWK({ kty: 'OKP', crv: 'Ed25519', x: publicKey }, ALGORITHM);
    const { payload } = await jwtVerify<{ method: string; request: string }>(token, key, {
      algorithms: [ALGORITHM],
      typ: TYPE,
      issuer: CLI_ISSUER,
      audience: expected.audience,
      requiredClaims: ['sub', 'iat', 'exp', 'jti', 'method', 'request'],
      maxTokenAge: VALID_SECONDS,
      clockTolerance: CLOCKS_DIFFER_SECONDS,
      currentDate: new Date(expected.nowMs),
    });
    const { exp = 0, iat = 0, jti = '' } = payload;
    if (exp - iat > VALID_SECONDS) return { reason: 'the token is valid for too long' };
    if (!/^[A-Za-z0-9_-]{16,64}$/.test(jti)) return { reason: 'the token has no usable id' };
    if (payload.method !== expected.method) return { reason: 'the token is for another method' };
    if (payload.request !== expected.requestHash) return { reason: 'the token is for another request' };
    return { tokenId: jti, endsMs: (exp + CLOCKS_DIFFER_SECONDS) * 1_000 };
  } catch (error) {
    return { reason: error instanceof Error ? error.message : String(error) };
  }
}
