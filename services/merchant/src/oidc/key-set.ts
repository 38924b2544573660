import { createRemoteJWKSet, customFetch, errors, type JWTVerifyGetKey } from 'jose';
import { allowInsecureRequests, discovery, customFetch as discoveryFetch, None } from 'openid-client';
import { boundedFetch } from './bounded-fetch.ts';
import type { OidcSettings } from './settings.ts';

/** A command waits for the provider no longer than twice this. */
const TIMEOUT_MS = 2_000;
/** After a failure the provider is not asked for so long. */
const PAUSE_MS = 1_000;
/** How long keys are believed; a key that the provider withdraws is refused no later. */
const KEYS_MS = 10 * 60_000;
/** How long it is remembered where the keys are. */
const DISCOVERY_MS = 60 * 60_000;
/** A token with an unknown key makes the keys be read anew, but no more often. */
const COOLDOWN_MS = 5_000;

/** The provider could not be asked for its keys; `cause` says why. */
export class ProviderUnreachable extends Error {}

/** Where the issuer's keys are, and what it calls itself. */
type Discovered = { issuer: string; keys: JWTVerifyGetKey };

/** Gives the issuer's name and the key of a token. Both throw ProviderUnreachable. */
export type KeySet = () => Promise<Discovered>;

/**
 * The keys that a provider signs with, found by its discovery document. They are asked for when a token comes and are kept, so
 * that the service starts without the provider; answers are bounded in time and size.
 */
export function createKeySet(settings: OidcSettings, { cooldownMs = COOLDOWN_MS } = {}): KeySet {
  let known: { found: Promise<Discovered>; untilMs: number } | undefined;
  let pauseUntilMs = 0;
  const orPause = async <T>(work: () => Promise<T>): Promise<T> => {
    if (performance.now() < pauseUntilMs) throw new ProviderUnreachable(`${settings.issuer} did not answer a moment ago`);
    try {
      return await work();
    } catch (error) {
      if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys) throw error;
      pauseUntilMs = performance.now() + PAUSE_MS;
      throw new ProviderUnreachable(`${settings.issuer} can not be asked for its keys`, { cause: error });
    }
  };
  return async () => {
    if (known === undefined || performance.now() >= known.untilMs) {
      known = { found: orPause(() => discover(settings, cooldownMs)), untilMs: performance.now() + DISCOVERY_MS };
    }
    try {
      const { issuer, keys } = await known.found;
      return { issuer, keys: (header, token) => orPause(async () => keys(header, token)) };
    } catch (error) {
      known = undefined;
      throw error;
    }
  };
}

async function discover({ issuer, audience, httpAllowed }: OidcSettings, cooldownMs: number): Promise<Discovered> {
  const found = await discovery(new URL(issuer), audience, undefined, None(), {
    timeout: TIMEOUT_MS / 1_000,
    [discoveryFetch]: (url, { method, headers, signal }) =>
      boundedFetch(url, { method, headers, ...(signal !== undefined && { signal }) }),
    ...(httpAllowed && { execute: [allowInsecureRequests] }),
  });
  const { jwks_uri: address, issuer: name } = found.serverMetadata();
  if (address === undefined) throw new Error(`${issuer} names no keys`);
  const url = new URL(address);
  if (url.protocol !== 'https:' && !httpAllowed) throw new Error(`the keys of ${issuer} are not behind https://`);
  const options = { timeoutDuration: TIMEOUT_MS, cooldownDuration: cooldownMs, cacheMaxAge: KEYS_MS };
  return { issuer: name, keys: createRemoteJWKSet(url, { ...options, [customFetch]: boundedFetch }) };
}
