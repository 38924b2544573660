import { setTimeout as sleep } from 'node:timers/promises';
import { RefusalError } from '@gerbang/core';
import { unavailable } from './key-encryption.ts';

const ATTEMPT_MS = 2_000;
const ATTEMPTS = 3;
const PAUSE_MS = 100;
/** A token is replaced when that part of its life is left. */
const RENEW_AT = 1 / 3;
const LIFE_MIN_MS = 10_000;

type Content = Record<string, string>;
type Post = (path: string, content: Content) => Promise<unknown>;

/** How this service logs in: gives a token, and how long it lives. `post` asks Vault without a token. */
export type VaultLogin = (post: Post) => Promise<{ token: string; livesMs: number }>;

/** Vault has answered, and not with 200. */
class VaultAnswer extends Error {
  readonly status: number;
  constructor(path: string, status: number, said: string) {
    super(`Vault answers ${status} to ${path}: ${said}`);
    this.status = status;
  }
}

/**
 * Posts to Vault, logged in; gives the answer's JSON. Tries again after network errors, 429 and 5xx, and with a new token after
 * 403. Refusals: unavailable, when all that has failed. Throws where Vault says no.
 */
export function createVaultClient(url: URL, login: VaultLogin): Post {
  let session: Promise<{ token: string; renewAtMs: number }> | undefined;
  const openSession = async () => {
    const { token, livesMs } = await login((path, content) => patiently(url, path, content, undefined));
    return { token, renewAtMs: performance.now() + Math.max(livesMs, LIFE_MIN_MS) * (1 - RENEW_AT) };
  };
  const tokenNow = async (): Promise<string> => {
    session ??= openSession();
    const mine = session;
    try {
      const { token, renewAtMs } = await mine;
      if (performance.now() < renewAtMs) return token;
    } catch (error) {
      if (session === mine) session = undefined;
      throw error;
    }
    if (session === mine) session = undefined;
    return tokenNow();
  };
  return async (path, content) => {
    const token = await tokenNow();
    try {
      return await patiently(url, path, content, token);
    } catch (error) {
      // The token may have been revoked, or replaced in its file; else it is the policy that says no.
      if (!(error instanceof VaultAnswer && error.status === 403)) throw error;
      session = undefined;
      return patiently(url, path, content, await tokenNow());
    }
  };
}

async function patiently(url: URL, path: string, content: Content, token: string | undefined): Promise<unknown> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await post(url, path, content, token);
    } catch (error) {
      const isAnswer = error instanceof VaultAnswer && error.status < 500 && error.status !== 429;
      if (isAnswer || error instanceof RefusalError) throw error;
      if (attempt === ATTEMPTS) throw unavailable('Vault can not be reached', error);
    }
    await sleep(PAUSE_MS * 2 ** attempt);
  }
}

async function post(url: URL, path: string, content: Content, token: string | undefined): Promise<unknown> {
  const response = await fetch(new URL(`/v1/${path}`, url), {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...(token !== undefined && { 'X-Vault-Token': token }) },
    body: JSON.stringify(content),
    redirect: 'error',
    signal: AbortSignal.timeout(ATTEMPT_MS),
  });
  const text = await response.text();
  if (response.status === 200) return JSON.parse(text);
  throw new VaultAnswer(path, response.status, text.slice(0, 200));
}
