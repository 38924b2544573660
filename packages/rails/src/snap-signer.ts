import type { KeyObject } from 'node:crypto';
import { jakartaIso, type SnapMessage, signMessage, signTokenRequest, signTransaction } from '@gerbang/core';
import { z } from 'zod';
import type { Provider } from './providers/provider.ts';
import { SnapError, type SnapHttp } from './snap-http.ts';
import { createSnapTokens, type IssuedToken } from './snap-tokens.ts';

/** Says in a request's headers who sends it. */
export type SnapSigner = {
  sign(message: SnapMessage, signal: AbortSignal): Promise<SignedHeaders>;
  /** The bank has answered 401; whether the same request, signed anew, may be right. */
  refused(headers: SignedHeaders): boolean;
};

export type SignedHeaders = { 'x-signature': string; authorization?: string };

export type SigningKeys = { clientKey: string; clientSecret: string; privateKey: KeyObject };

const TOKEN_TIMEOUT_MS = 5_000;

/** tokenType is not read: every provider's is Bearer, however it writes that. Some write `expiresIn` as a number. */
const tokenAnswer = z.object({ accessToken: z.string().min(1).max(4_096), expiresIn: z.coerce.number().int().positive() });

/** What signs the transactions of a provider. `tokenPath` is the token service's, with what the address has before it. */
export function createSigner(
  signature: Provider['signature'],
  keys: SigningKeys,
  ways: { http: SnapHttp; tokenPath: string | undefined; now: () => number },
): SnapSigner {
  switch (signature) {
    case 'own-key':
      return {
        sign: async (message) => ({ 'x-signature': signMessage(message, keys.privateKey) }),
        refused: () => false,
      };
    case 'token': {
      const { tokenPath } = ways;
      if (tokenPath === undefined) throw new Error('the provider signs by token and has no token service');
      return createTokenSigner(keys, { ...ways, tokenPath });
    }
    default:
      return signature satisfies never;
  }
}

function createTokenSigner(keys: SigningKeys, ways: { http: SnapHttp; tokenPath: string; now: () => number }): SnapSigner {
  const tokens = createSnapTokens(() => issueToken(keys, ways), ways.now);
  return {
    async sign(message, signal) {
      const accessToken = await tokens.get(signal);
      return {
        authorization: `Bearer ${accessToken}`,
        'x-signature': signTransaction({ ...message, accessToken }, keys.clientSecret),
      };
    },
    // The bank no longer knows the token (it was restarted, say).
    refused({ authorization }) {
      if (authorization !== undefined) tokens.forget(authorization.replace('Bearer ', ''));
      return true;
    },
  };
}

/** The headers of a request for tokens: they prove our private key. */
export function proofOfKey({ clientKey, privateKey }: Omit<SigningKeys, 'clientSecret'>, nowMs: number): Record<string, string> {
  const timestamp = jakartaIso(nowMs);
  return {
    'x-timestamp': timestamp,
    'x-client-key': clientKey,
    'x-signature': signTokenRequest(clientKey, timestamp, privateKey),
  };
}

async function issueToken(
  keys: SigningKeys,
  { http, tokenPath, now }: { http: SnapHttp; tokenPath: string; now: () => number },
): Promise<IssuedToken> {
  const headers = proofOfKey(keys, now());
  const body = JSON.stringify({ grantType: 'client_credentials' });
  const signal = AbortSignal.timeout(TOKEN_TIMEOUT_MS);
  const { httpStatus, json } = await http.send({ method: 'POST', path: tokenPath, headers, body, signal });
  const token = tokenAnswer.safeParse(json);
  if (httpStatus !== 200 || !token.success) throw new SnapError(`the bank gives no access token (HTTP ${httpStatus})`);
  return { accessToken: token.data.accessToken, lifetimeMs: token.data.expiresIn * 1_000 };
}
