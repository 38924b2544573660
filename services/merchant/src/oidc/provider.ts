import { checkIdToken, type LoggedIn, type RefusedLogin } from './id-token.ts';
import { createKeySet } from './key-set.ts';
import type { OidcSettings } from './settings.ts';

/** Who says who operators are, other than their own keys. */
export type OidcProvider = {
  issuer: string;
  /** Checks an ID token that must have this nonce. Throws ProviderUnreachable. */
  check(token: string, expected: { nonce: string; nowMs: number }): Promise<LoggedIn | RefusedLogin>;
};

/** The configured provider. `cooldownMs` replaces how often an unknown key makes the provider be asked, for tests. */
export function createOidcProvider(settings: OidcSettings, options: { cooldownMs?: number } = {}): OidcProvider {
  const keySet = createKeySet(settings, options);
  return { issuer: settings.issuer, check: (token, expected) => checkIdToken(settings, keySet, token, expected) };
}
