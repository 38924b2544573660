import { createServer } from 'node:http';
import { newLoginKey, type OperatorLogin } from '@gerbang/neighbours';
import { type CryptoKey, exportJWK, exportSPKI, generateKeyPair, type JWTPayload, SignJWT } from 'jose';

type SigningKey = { kid: string; privateKey: CryptoKey; publicKey: CryptoKey };

export const AUDIENCE = 'gerbang-cli-client';

export type Issuer = Awaited<ReturnType<typeof startIssuer>>;

/** What a test makes different in an ID token. */
export type Twist = { claims?: JWTPayload; header?: Record<string, string>; nonce?: string; audience?: string | string[] };

/** An OpenID provider that signs all that a test wants; a real one is tested with the command line. */
export async function startIssuer() {
  let key = await newKey('k1');
  let published = [key];
  let isDown = false;
  const asked = { discovery: 0, keys: 0 };
  const server = createServer(async (request, response) => {
    if (isDown) {
      response.writeHead(503).end();
      return;
    }
    response.setHeader('content-type', 'application/json');
    if (request.url === '/.well-known/openid-configuration') {
      asked.discovery++;
      response.end(JSON.stringify({ issuer, jwks_uri: `${issuer}/keys` }));
      return;
    }
    asked.keys++;
    const keys = published.map(async ({ kid, publicKey }) => ({ ...(await exportJWK(publicKey)), kid, use: 'sig' }));
    response.end(JSON.stringify({ keys: await Promise.all(keys) }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the issuer has no port');
  const issuer = `http://127.0.0.1:${address.port}`;
  const claimsOf = (subject: string, nonce: string, twist: Twist) => {
    const now = Math.floor(Date.now() / 1_000);
    const audience = twist.audience ?? AUDIENCE;
    return { iss: issuer, sub: subject, aud: audience, iat: now, exp: now + 600, nonce: twist.nonce ?? nonce, ...twist.claims };
  };
  return {
    issuer,
    asked,
    env: { OPERATOR_OIDC_ISSUER: issuer, OPERATOR_OIDC_AUDIENCE: AUDIENCE },
    /** A login of this person, as the command line keeps it. */
    async login(subject: string, twist: Twist = {}): Promise<OperatorLogin> {
      const { privateKey, nonce } = await newLoginKey();
      const idToken = await new SignJWT(claimsOf(subject, nonce, twist))
        .setProtectedHeader({ alg: 'RS256', kid: key.kid, ...twist.header })
        .sign(key.privateKey);
      return { idToken, privateKey };
    },
    /** A login whose ID token has no signature, or that the public key has signed as if it were a secret. */
    async forged(subject: string, algorithm: 'none' | 'HS256'): Promise<OperatorLogin> {
      const { privateKey, nonce } = await newLoginKey();
      const claims = claimsOf(subject, nonce, {});
      if (algorithm === 'none') return { idToken: `${encoded({ alg: 'none' })}.${encoded(claims)}.`, privateKey };
      const secret = new TextEncoder().encode(await exportSPKI(key.publicKey));
      const idToken = await new SignJWT(claims).setProtectedHeader({ alg: 'HS256', kid: key.kid }).sign(secret);
      return { idToken, privateKey };
    },
    /** Signs with a new key from now on, and withdraws the one before. */
    async rotate(): Promise<void> {
      key = await newKey(`${key.kid}x`);
      published = [key];
    },
    /** Signs with a key that is not published. */
    async usesUnpublishedKey(): Promise<void> {
      key = await newKey(key.kid);
    },
    answers(yes: boolean): void {
      isDown = !yes;
    },
    close: () => new Promise<unknown>((resolve) => server.close(resolve)),
  };
}

async function newKey(kid: string): Promise<SigningKey> {
  return { kid, ...(await generateKeyPair('RS256', { extractable: true })) };
}

function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
