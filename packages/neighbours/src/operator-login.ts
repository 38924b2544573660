import type { Authorize } from '@gerbang/rpc';
import { calculateJwkThumbprint, decodeJwt, decodeProtectedHeader, importJWK, type JWK } from 'jose';
import { ALGORITHM, type CheckedToken, checkCallToken, type ExpectedCall, newCallToken, type TokenKind } from './call-token.ts';
import { newPrivateKey } from './operator-token.ts';

/** What a call's token says as its issuer where an ID token says whose call it is. */
export const LOGIN_ISSUER = 'gerbang-login';

const KIND: TokenKind = { type: 'gerbang-login+jwt', issuer: LOGIN_ISSUER };

/**
 * A login at an OpenID provider. `privateKey` was made for it: the ID token has the hash of its public half as `nonce`, so that
 * the token is of use only to who has the key.
 */
export type OperatorLogin = { idToken: string; privateKey: JWK };

/** Makes a key for one login; `nonce` is what the provider has to put into the ID token. */
export async function newLoginKey(): Promise<{ privateKey: JWK; nonce: string }> {
  const privateKey = await newPrivateKey();
  return { privateKey, nonce: await nonceOf(privateKey) };
}

/** Signs calls of a service with the login's key, each with a token of its own that has the ID token in it. */
export function loginAuthorizer({ idToken, privateKey }: OperatorLogin, service: string, now = Date.now): Authorize {
  const imported = importJWK(privateKey, ALGORITHM);
  // Without a listener a key that is none would end the process before the first call.
  imported.catch(() => {});
  const { kty, crv, x } = privateKey;
  return async (call) => {
    const about = { service, header: { jwk: { kty, crv, x } }, claims: { id_token: idToken }, nowMs: now() };
    return `Bearer ${await newCallToken(KIND, call, about).sign(await imported)}`;
  };
}

/**
 * Checks that a token is for this call and signed with the key that it names. Whose key that is says the ID token alone, which
 * the caller has to check: it must be the provider's, and must have this `nonce`.
 */
export async function readLoginToken(
  token: string,
  expected: ExpectedCall,
): Promise<(Exclude<CheckedToken, { reason: string }> & { idToken: string; nonce: string }) | { reason: string }> {
  const publicKey = publicKeyIn(token);
  const key = publicKey === undefined ? undefined : await imported(publicKey);
  if (publicKey === undefined || key === undefined) return { reason: 'the token names no Ed25519 key' };
  const checked = await checkCallToken(KIND, token, key, expected);
  if ('reason' in checked) return checked;
  const { id_token: idToken } = decodeJwt(token);
  if (typeof idToken !== 'string') return { reason: 'the token has no ID token' };
  return { ...checked, idToken, nonce: await nonceOf(publicKey) };
}

function publicKeyIn(token: string): JWK | undefined {
  try {
    const { jwk } = decodeProtectedHeader(token);
    if (jwk?.kty !== 'OKP' || jwk.crv !== 'Ed25519' || typeof jwk.x !== 'string') return undefined;
    return { kty: jwk.kty, crv: jwk.crv, x: jwk.x };
  } catch {
    return undefined;
  }
}

/** RFC 7638. */
function nonceOf(key: JWK): Promise<string> {
  return calculateJwkThumbprint(key, 'sha256');
}

async function imported(publicKey: JWK) {
  try {
    return await importJWK(publicKey, ALGORITHM);
  } catch {
    return undefined;
  }
}
