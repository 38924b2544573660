import { newLoginKey } from '@gerbang/neighbours';
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  type Configuration,
  calculatePKCECodeChallenge,
  discovery,
  initiateDeviceAuthorization,
  None,
  pollDeviceAuthorizationGrant,
  randomPKCECodeVerifier,
  randomState,
} from 'openid-client';
import type { StoredLogin } from '../operator-logins.ts';
import { CommandFailure } from './failure.ts';
import { listenForRedirect } from './loopback.ts';

/** How long a person has to log in. */
const LOGIN_MS = 5 * 60_000;
const CALL_SECONDS = 10;

/** Where to log in, and what to ask for. `tell` shows a line to the person. */
export type LoginRequest = { issuer: URL; clientId: string; scope: string; device: boolean; tell: (line: string) => void };

type Tokens = Awaited<ReturnType<typeof authorizationCodeGrant>>;

/**
 * Logs in at an OpenID provider with a key that is made for it: in the browser of this machine, with PKCE and a redirect to this
 * process; or with a code in the browser of another one. Throws CommandFailure.
 */
export async function logIn(request: LoginRequest): Promise<StoredLogin> {
  const { privateKey, nonce } = await newLoginKey();
  const provider = await orFailure(`${request.issuer.href} can not be used`, () => discover(request));
  const tokens = await orFailure('you are not logged in', () =>
    request.device ? byDevice(provider, request, nonce) : byBrowser(provider, request, nonce),
  );
  const claims = tokens.claims();
  if (claims === undefined || tokens.id_token === undefined) throw new CommandFailure('the provider has given no ID token');
  if (claims.nonce !== nonce) {
    throw new CommandFailure('the provider has left the nonce out of the ID token; log in without --device');
  }
  const { sub: subject, iss: issuer, exp } = claims;
  return { issuer, subject, idToken: tokens.id_token, privateKey, expiresAt: new Date(exp * 1_000) };
}

function discover({ issuer, clientId }: LoginRequest): Promise<Configuration> {
  const execute = issuer.protocol === 'http:' && isLoopback(issuer) ? [allowInsecureRequests] : [];
  return discovery(issuer, clientId, undefined, None(), { timeout: CALL_SECONDS, execute });
}

async function byBrowser(provider: Configuration, { scope, tell }: LoginRequest, nonce: string): Promise<Tokens> {
  const state = randomState();
  const verifier = randomPKCECodeVerifier();
  const redirect = await listenForRedirect(state);
  try {
    const url = buildAuthorizationUrl(provider, {
      redirect_uri: redirect.url,
      scope,
      state,
      nonce,
      code_challenge: await calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    });
    tell(`open this address in your browser: ${url.href}`);
    const answer = await redirect.answer(LOGIN_MS);
    const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true };
    return await authorizationCodeGrant(provider, answer, checks);
  } finally {
    await redirect.close();
  }
}

async function byDevice(provider: Configuration, { scope, tell }: LoginRequest, nonce: string): Promise<Tokens> {
  if (provider.serverMetadata().device_authorization_endpoint === undefined) {
    throw new CommandFailure('the provider knows no devices; log in without --device');
  }
  const device = await initiateDeviceAuthorization(provider, { scope, nonce });
  tell(`open ${device.verification_uri} in a browser and give this code: ${device.user_code}`);
  return pollDeviceAuthorizationGrant(provider, device, {}, { signal: AbortSignal.timeout(LOGIN_MS) });
}

/** Without TLS only a provider on this machine is asked: the code of a login would be read on the way. */
function isLoopback({ hostname }: URL): boolean {
  return hostname === 'localhost' || hostname === '127.0.0.1' || hostname === '[::1]';
}

async function orFailure<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof CommandFailure) throw error;
    throw new CommandFailure(`${what}: ${reasonOf(error)}`, { cause: error });
  }
}

/** What the provider says, or why it can't be reached: the cause is the better word where there is one. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if ('error_description' in error && typeof error.error_description === 'string') return error.error_description;
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}
