import type { Closeable } from '@gerbang/runtime';
import { errors, Pool } from 'undici';
import { createDeadlines } from './deadlines.ts';
import type { KeepsAnswersOf } from './kept-answers.ts';
import { post, TimedOut } from './post.ts';
import { createConnector, parseTarget, type Resolve, type TargetPolicy, TargetRefused } from './target.ts';

/** The whole of an attempt, from resolving the host to the status of the answer (contract §10). */
const TIMEOUT_MS = 10_000;
const HEADER_BYTES_MAX = 16_384;
const KEEP_ALIVE_MS = 3_000;
const IDLE_MS = 60_000;

/** An endpoint's answer, or why there is none. `httpStatus` is undefined unless a status came in time. */
export type Answer = { httpStatus: number | undefined; answer: string; error: string | undefined };

export type WebhookRequest = { merchantId: string; url: string; headers: Record<string, string>; body: string };

/** Sends webhooks. Each endpoint has sockets of its own, so that no endpoint can use up another's. */
export type Sender = Closeable & { send(request: WebhookRequest): Promise<Answer> };

type Endpoint = { pool: Pool; inUse: number; usedAtMs: number };

/**
 * `keepsAnswersOf`: whose answers are handed on; all of them where it is undefined. Of others only the status is.
 *
 * `socketsPerEndpoint` bounds the connections to one merchant's endpoint; `resolve` replaces the DNS and `timeoutMs` the 10 s in
 * tests.
 */
export function createSender(
  policy: TargetPolicy & { keepsAnswersOf?: KeepsAnswersOf | undefined },
  options: { socketsPerEndpoint: number; resolve?: Resolve; timeoutMs?: number },
): Sender {
  const endpoints = new Map<string, Endpoint>();
  const timeoutMs = options.timeoutMs ?? TIMEOUT_MS;
  const deadlines = createDeadlines();
  const connector = createConnector(policy, {
    timeoutMs,
    ...(options.resolve !== undefined && { resolve: options.resolve }),
  });
  const endpointOf = (merchantId: string, origin: string): Endpoint => {
    const key = `${merchantId} ${origin}`;
    const known = endpoints.get(key);
    if (known !== undefined) return known;
    const pool = new Pool(origin, {
      connections: options.socketsPerEndpoint,
      pipelining: 1,
      connect: connector,
      keepAliveTimeout: KEEP_ALIVE_MS,
      maxHeaderSize: HEADER_BYTES_MAX,
    });
    const endpoint = { pool, inUse: 0, usedAtMs: 0 };
    endpoints.set(key, endpoint);
    return endpoint;
  };
  const sweeping = setInterval(() => {
    for (const [key, endpoint] of endpoints) {
      if (endpoint.inUse > 0 || performance.now() - endpoint.usedAtMs < IDLE_MS) continue;
      endpoints.delete(key);
      void endpoint.pool.destroy();
    }
  }, IDLE_MS);
  sweeping.unref();
  return {
    async send(request) {
      let target: URL;
      try {
        target = parseTarget(request.url, policy);
      } catch (error) {
        return { httpStatus: undefined, answer: '', error: describe(error) };
      }
      const endpoint = endpointOf(request.merchantId, target.origin);
      endpoint.inUse++;
      try {
        const { headers, body } = request;
        const posted = await post(
          endpoint.pool,
          { path: `${target.pathname}${target.search}`, headers, body },
          { deadlines, timeoutMs },
        );
        if ('error' in posted) return { httpStatus: undefined, answer: '', error: describe(posted.error) };
        const { httpStatus, answer } = posted;
        const isKept = policy.keepsAnswersOf === undefined || policy.keepsAnswersOf(target.hostname);
        return { httpStatus, answer: isKept ? answer : '', error: explain(httpStatus) };
      } finally {
        endpoint.inUse--;
        endpoint.usedAtMs = performance.now();
      }
    },
    async close() {
      clearInterval(sweeping);
      await deadlines.close();
      await Promise.all([...endpoints.values()].map(({ pool }) => pool.destroy()));
    },
  };
}

function explain(status: number): string | undefined {
  if (status >= 200 && status < 300) return undefined;
  if (status >= 300 && status < 400) return `redirects are not followed (HTTP ${status})`;
  return `HTTP ${status}`;
}

/** Why no answer came, in words for the merchant. They say nothing about our own network. */
function describe(error: unknown): string {
  const cause = rootOf(error);
  if (cause instanceof TargetRefused) return `target refused: ${cause.message}`;
  if (!(cause instanceof Error)) return 'no valid HTTP answer';
  if (cause instanceof TimedOut || cause instanceof errors.ConnectTimeoutError) return 'no answer within 10 s';
  const code = textIn(cause, 'code');
  if (code === undefined) return 'no valid HTTP answer';
  const ofDns = textIn(cause, 'syscall')?.startsWith('query') || textIn(cause, 'syscall') === 'getaddrinfo';
  if (ofDns) return `the host name does not resolve (${code})`;
  const untrusted = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY/.test(code);
  if (untrusted) return `the TLS certificate is not valid (${code})`;
  if (code === 'EPROTO' || code.startsWith('ERR_SSL') || code.startsWith('ERR_TLS')) return 'no TLS connection';
  return REASONS[code] ?? `no valid answer (${code})`;
}

const REASONS: Partial<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'the connection was closed before an answer',
  UND_ERR_SOCKET: 'the connection was closed before an answer',
  ENETUNREACH: 'the host is unreachable',
  EHOSTUNREACH: 'the host is unreachable',
  UND_ERR_HEADERS_OVERFLOW: 'the answer has too large headers',
};

function textIn(error: Error, field: 'code' | 'syscall'): string | undefined {
  const value: unknown = Reflect.get(error, field);
  return typeof value === 'string' ? value : undefined;
}

/** Dialling several addresses fails with all their errors; the first says enough. */
function rootOf(error: unknown): unknown {
  if (error instanceof AggregateError && error.errors.length > 0) return error.errors[0];
  return error;
}
