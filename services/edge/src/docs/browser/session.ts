import type { Authentication } from './operations.ts';
import { type Credentials, type Outgoing, signatureHeaders, tokenHeaders } from './signing.ts';

const TOKEN_PATH = '/api/v1.1/access-token/b2b';
/** A token is not used in the last moments of its life. */
const MARGIN_MS = 30_000;

/** The reader's credentials and the access token issued for them. Both live in memory only. */
export type Session = {
  credentials(): Credentials | undefined;
  use(credentials: Credentials | undefined): void;
  /** Ids of active accounts, the default one first; none without credentials, or with refused ones, as the next request will say. */
  accountIds(): Promise<string[]>;
  /** Asks for a new token the next time. */
  forgetToken(): void;
  /**
   * Adds the headers with which a request authenticates itself; none without credentials. Throws where no token is issued; the
   * other headers are added then.
   */
  authenticate(headers: Record<string, string>, request: Outgoing, authentication: Authentication): Promise<void>;
};

const ACCOUNTS = '/api/v1.0/accounts?limit=100&status=active';

export function createSession(): Session {
  let credentials: Credentials | undefined;
  let token: { text: string; expiresAtMs: number } | undefined;

  async function tokenOf(known: Credentials): Promise<string> {
    if (token !== undefined && Date.now() < token.expiresAtMs) return token.text;
    const issued = await issueToken(known);
    // Others may have been entered meanwhile.
    if (credentials === known) token = issued;
    return issued.text;
  }

  const session: Session = {
    credentials: () => credentials,
    async accountIds() {
      if (credentials === undefined) return [];
      const headers: Record<string, string> = {};
      const request = { method: 'GET', path: ACCOUNTS, body: '' };
      try {
        await session.authenticate(headers, request, { schemes: new Set(['bearer', 'partnerId']), signed: false });
        const answer: AccountsAnswer = await (await fetch(ACCOUNTS, { headers })).json();
        const accounts = answer.data?.items ?? [];
        return accounts.sort((a, b) => Number(b.is_default) - Number(a.is_default)).map(({ id }) => id);
      } catch {
        return [];
      }
    },
    use(others) {
      credentials = others;
      token = undefined;
    },
    forgetToken() {
      token = undefined;
    },
    async authenticate(headers, request, { schemes, signed }) {
      if (credentials === undefined) return;
      const { partnerId, clientId, clientSecret } = credentials;
      if (schemes.has('partnerId')) headers['X-PARTNER-ID'] = partnerId;
      if (schemes.has('clientId')) Object.assign(headers, tokenHeaders(credentials, Date.now()));
      if (schemes.has('basic')) headers.Authorization = `Basic ${btoa(`${clientId}:${clientSecret}`)}`;
      if (!schemes.has('bearer')) return;
      const accessToken = await tokenOf(credentials);
      headers.Authorization = `Bearer ${accessToken}`;
      if (signed) Object.assign(headers, signatureHeaders(request, accessToken, clientSecret, Date.now()));
    },
  };
  return session;
}

async function issueToken(credentials: Credentials): Promise<{ text: string; expiresAtMs: number }> {
  const nowMs = Date.now();
  const response = await fetch(TOKEN_PATH, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...tokenHeaders(credentials, nowMs) },
    body: JSON.stringify({ grant_type: 'client_credentials' }),
  });
  const answer: TokenAnswer = await response.json();
  const { access_token: text, expires_in: seconds } = answer.data ?? {};
  if (text === undefined || seconds === undefined)
    throw new Error(
      `No access token for these credentials: HTTP ${response.status}, ${answer.error?.message ?? 'no reason given'}`,
    );
  return { text, expiresAtMs: nowMs + seconds * 1_000 - MARGIN_MS };
}

type TokenAnswer = { data?: { access_token?: string; expires_in?: number }; error?: { message?: string } };
type AccountsAnswer = { data?: { items?: { id: string; is_default: boolean }[] } };
