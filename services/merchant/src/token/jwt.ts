import { type KeyObject, sign } from 'node:crypto';

/** What an access token says (contract §3); times in Unix seconds of real time. */
export type TokenClaims = {
  iss: string;
  /** The merchant's id. */
  sub: string;
  /** The client id. */
  cid: string;
  /** The credential's generation: the token dies when the credential has another one. */
  gen: number;
  jti: string;
  iat: number;
  exp: number;
};

/** A JWT signed with Ed25519 (RFC 8037), naming the key that verifies it. */
export function signJwt(claims: TokenClaims, kid: string, privateKey: KeyObject): string {
  const content = `${encode({ alg: 'EdDSA', typ: 'JWT', kid })}.${encode(claims)}`;
  return `${content}.${sign(null, Buffer.from(content), privateKey).toString('base64url')}`;
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
