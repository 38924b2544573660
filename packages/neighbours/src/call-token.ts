import { createHash, randomUUID } from 'node:crypto';
import type { Authorize } from '@gerbang/rpc';
import { type CryptoKey, type JWTPayload, jwtVerify, SignJWT } from 'jose';

export const ALGORITHM = 'EdDSA';
/** A token is for one call, which is sent at once. */
const VALID_SECONDS = 60;
/** How far the clocks of an operator's machine and a service may differ. */
const CLOCKS_DIFFER_SECONDS = 30;

/** What a token must be for. `requestHash` is that of `hashRequest`. */
export type ExpectedCall = { audience: string; method: string; requestHash: string; nowMs: number };

/** A token's id, and when it can no longer be used; or why it is refused. */
export type CheckedToken = { tokenId: string; endsMs: number } | { reason: string };

/** Which kind of token it is: `typ` of its header and `iss`. */
export type TokenKind = { type: string; issuer: string };

/** SHA-256 of an encoded request, base64url. */
export function hashRequest(request: Uint8Array): string {
  return createHash('sha256').update(request).digest('base64url');
}

/** A token for one call of a service that ends after a minute; `header` and `claims` are what its kind has in addition. */
export function newCallToken(
  kind: TokenKind,
  { method, request }: Parameters<Authorize>[0],
  about: { service: string; claims: JWTPayload; header?: Record<string, unknown>; nowMs: number },
): SignJWT {
  const issuedAt = Math.floor(about.nowMs / 1_000);
  return new SignJWT({ ...about.claims, method, request: hashRequest(request) })
    .setProtectedHeader({ ...about.header, alg: ALGORITHM, typ: kind.type })
    .setIssuer(kind.issuer)
    .setAudience(about.service)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + VALID_SECONDS)
    .setJti(randomUUID());
}

/** Checks a token of this kind against an Ed25519 key and the call that it came with. */
export async function checkCallToken(
  kind: TokenKind,
  token: string,
  key: CryptoKey | Uint8Array,
  expected: ExpectedCall,
): Promise<CheckedToken> {
  try {
    const { payload } = await jwtVerify<{ method: string; request: string }>(token, key, {
      algorithms: [ALGORITHM],
      typ: kind.type,
      issuer: kind.issuer,
      audience: expected.audience,
      requiredClaims: ['iat', 'exp', 'jti', 'method', 'request'],
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
