import type { Closeable } from '@gerbang/runtime';
import { errors, Pool } from 'undici';
import { createDeadlines, type Deadlines } from './deadlines.ts';
import { createConnector, parseTarget, type Resolve, type TargetPolicy, TargetRefused } from './target.ts';

/** The whole of an attempt, from resolving the host to the status of the answer (contract §10). */
const TIMEOUT_MS = 10_000;
/** What the body of an answer may take beyond that; only its beginning is kept, for the log. */
const BODY_TIMEOUT_MS = 1_000;
const ANSWER_BYTES = 1_024;
const HEADER_BYTES_MAX = 16_384;
const KEEP_ALIVE_MS = 3_000;
const IDLE_MS = 60_000;

/** What an endpoint answered, or why it did not. `httpStatus` is undefined unless a status came in time. */
export type Answer = { httpStatus: number | undefined; answer: string; error: string | undefined };

export type WebhookRequest = { merchantId: string; url: string; headers: Record<string, string>; body: string };

/** Sends webhooks; each merchant's endpoint has sockets of its own, so that one cannot use up another's. */
export type Sender = Closeable & { send(request: WebhookRequest): Promise<Answer> };

type Endpoint = { pool: Pool; inUse: number; usedAtMs: number };

/** `socketsPerEndpoint` bounds the connections to one merchant's endpoint; `resolve` replaces the DNS and `timeoutMs` the 10 s in tests. */
export function createSender(
  policy: TargetPolicy,
  options: { socketsPerEndpoint: number; resolve?: Resolve; timeoutMs?: number },
): Sender {
  const endpoints = new Map<string, Endpoint>();
  const timeoutMs = options.timeoutMs ?? TIMEOUT_MS;
  const deadlines = createDeadlines(timeoutMs);
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
        return await post(endpoint.pool, target, request, deadlines);
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

async function post(pool: Pool, target: URL, request: WebhookRequest, deadlines: Deadlines): Promise<Answer> {
  const deadline = deadlines.start();
  try {
    const { statusCode, body } = await pool.request({
      method: 'POST',
      path: `${target.pathname}${target.search}`,
      headers: request.headers,
      body: request.body,
      signal: deadline,
      // The deadline is for all of it.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    const answer = await readBeginning(body);
    return { httpStatus: statusCode, answer, error: explain(statusCode) };
  } catch (error) {
    return { httpStatus: undefined, answer: '', error: describe(error) };
  } finally {
    deadlines.end(deadline);
  }
}

/** The first KiB of a body as text. Whatever comes after that, late or never is cut off: the status has said all that counts. */
async function readBeginning(body: NodeJS.ReadableStream & AsyncIterable<Uint8Array> & { destroy(): unknown }): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const cutOff = setTimeout(() => body.destroy(), BODY_TIMEOUT_MS);
  try {
    for await (const chunk of body) {
      chunks.push(chunk);
      bytes += chunk.byteLength;
      if (bytes >= ANSWER_BYTES) break;
    }
  } catch {
    // Cut off, by us or by the endpoint: what has come so far is the answer.
  } finally {
    clearTimeout(cutOff);
    body.destroy();
  }
  // A character cut in half at the end is left out.
  return new TextDecoder().decode(Buffer.concat(chunks).subarray(0, ANSWER_BYTES), { stream: true });
}

function explain(status: number): string | undefined {
  if (status >= 200 && status < 300) return undefined;
  if (status >= 300 && status < 400) return `redirects are not followed (HTTP ${status})`;
  return `HTTP ${status}`;
}

/** Why no answer came, in words for the merchant; what our own network looks like is not in them. */
function describe(error: unknown): string {
  const cause = rootOf(error);
  if (cause instanceof TargetRefused) return `target refused: ${cause.message}`;
  if (!(cause instanceof Error)) return 'no valid HTTP answer';
  if (cause instanceof errors.RequestAbortedError || cause instanceof errors.ConnectTimeoutError) return 'no answer within 10 s';
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

/** Dialling several addresses fails with all their errors; the first tells enough. */
function rootOf(error: unknown): unknown {
  if (error instanceof AggregateError && error.errors.length > 0) return error.errors[0];
  return error;
}
