import type { Authorize } from '@gerbang/rpc';
import { decodeJwt, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose';
import { ALGORITHM, type CheckedToken, checkCallToken, type ExpectedCall, newCallToken, type TokenKind } from './call-token.ts';

/** Who says who an operator is, where the operator's own key does. */
export const CLI_ISSUER = 'gerbang-cli';

const KIND: TokenKind = { type: 'gerbang-operator+jwt', issuer: CLI_ISSUER };

/** An operator's own key, as the operator keeps it: `privateKey` is the JWK of an Ed25519 key. */
export type OperatorKey = { id: string; privateKey: JWK };

/** Makes a key for an operator. */
export async function newOperatorKey(id: string): Promise<OperatorKey> {
  return { id, privateKey: await newPrivateKey() };
}

/** The JWK of a new Ed25519 key. */
export async function newPrivateKey(): Promise<JWK> {
  const { privateKey } = await generateKeyPair(ALGORITHM, { crv: 'Ed25519', extractable: true });
  return exportJWK(privateKey);
}

/** The public half, base64url, as operators are enrolled with it. */
export function publicKeyOf({ privateKey }: OperatorKey): string {
  if (privateKey.kty !== 'OKP' || privateKey.crv !== 'Ed25519' || privateKey.x === undefined) {
    throw new Error('the key of an operator must be Ed25519');
  }
  return privateKey.x;
}

/**
 * Signs the operator's calls of a service, each with a token of its own: it names the operator, the service, the method and the
 * request, and ends after a minute.
 */
export function operatorAuthorizer({ id, privateKey }: OperatorKey, service: string, now = Date.now): Authorize {
  const imported = importJWK(privateKey, ALGORITHM);
  // Without a listener a key that is none would end the process before the first call.
  imported.catch(() => {});
  return async (call) => {
    const about = { service, claims: { sub: id }, nowMs: now() };
    return `Bearer ${await newCallToken(KIND, call, about).sign(await imported)}`;
  };
}

/** Whose token it says that it is, before anything is checked; undefined where it can't be read. */
export function claimedSubject(token: string): { issuer: string; subject: string } | undefined {
  try {
    const { iss, sub = '' } = decodeJwt(token);
    return typeof iss === 'string' && typeof sub === 'string' ? { issuer: iss, subject: sub } : undefined;
  } catch {
    return undefined;
  }
}

/** Checks a token against the operator's public key and the call that it came with. */
export async function verifyOperatorToken(token: string, publicKey: string, expected: ExpectedCall): Promise<CheckedToken> {
  const key = await importJWK({ kty: 'OKP', crv: 'Ed25519', x: publicKey }, ALGORITHM);
  return checkCallToken(KIND, token, key, expected);
}
