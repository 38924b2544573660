import { randomBytes } from 'node:crypto';

const LIFE_MS = 900_000;

/** Access tokens of the bank's API. Kept in memory: after a restart they are unknown, and callers fetch new ones. */
export type TokenIssuer = { issue(): { accessToken: string; expiresIn: string }; isValid(token: string): boolean };

export function createTokenIssuer(now: () => number = Date.now): TokenIssuer {
  const expiries = new Map<string, number>();
  return {
    issue() {
      for (const [token, expiry] of expiries) if (expiry <= now()) expiries.delete(token);
      const accessToken = randomBytes(24).toString('base64url');
      expiries.set(accessToken, now() + LIFE_MS);
      return { accessToken, expiresIn: String(LIFE_MS / 1_000) };
    },
    isValid: (token) => (expiries.get(token) ?? 0) > now(),
  };
}
