/** An access token and how long it lives. */
export type IssuedToken = { accessToken: string; lifetimeMs: number };

/** The bank's access token, fetched when it is needed and shared by all calls. */
export type SnapTokens = {
  /** A token with some life left. Callers that find none share one request for it; `signal` ends only the caller's own wait. */
  get(signal: AbortSignal): Promise<string>;
  /** The bank has refused this token; the next call fetches another. A newer token stays. */
  forget(accessToken: string): void;
};

/** A token is renewed this long before it ends, or after four fifths of a shorter life. */
const MARGIN_MAX_MS = 60_000;

export function createSnapTokens(issue: () => Promise<IssuedToken>, now: () => number): SnapTokens {
  let current: { accessToken: string; usableUntilMs: number } | undefined;
  let fetching: Promise<string> | undefined;

  const fetchToken = async () => {
    const askedAtMs = now();
    const { accessToken, lifetimeMs } = await issue();
    current = { accessToken, usableUntilMs: askedAtMs + lifetimeMs - Math.min(MARGIN_MAX_MS, lifetimeMs / 5) };
    return accessToken;
  };

  return {
    async get(signal) {
      signal.throwIfAborted();
      if (current !== undefined && now() < current.usableUntilMs) return current.accessToken;
      fetching ??= fetchToken().finally(() => {
        fetching = undefined;
      });
      return orAborted(fetching, signal);
    },
    forget(accessToken) {
      if (current?.accessToken === accessToken) current = undefined;
    },
  };
}

async function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let abort = () => {};
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
