import { createPrivateKey, type KeyObject } from 'node:crypto';
import { jakartaIso, signTokenRequest, signTransaction } from '@gerbang/core';
import { type Closeable, withSpan } from '@gerbang/runtime';
import { Pool } from 'undici';
import { z } from 'zod';
import { createSnapTokens, type IssuedToken } from './snap-tokens.ts';

/** How a bank is reached and what it knows us by. */
export type SnapCredentials = {
  /** The bank's address; a path in it goes before every endpoint's, and is signed with it. */
  url: string;
  clientKey: string;
  clientSecret: string;
  /** RSA, PEM. */
  privateKey: string;
  partnerId: string;
  channelId: string;
};

/** A SNAP service: its path, the two digits that its responseCodes carry, and its method where that is not POST. */
export type SnapService = { path: string; code: string; method?: 'GET' | 'PUT' | 'DELETE' };

/** A readable answer: its responseCode is that of its HTTP status and of the service that was called. */
export type SnapAnswer = {
  httpStatus: number;
  responseCode: string;
  /** The last two digits of the responseCode. */
  caseCode: string;
  message: string;
  body: object;
};

/** Why there is no readable answer. The message is ours: it holds nothing of what was sent or received. */
export class SnapError extends Error {
  override name = 'SnapError';
}

export type SnapCall = {
  service: SnapService;
  externalId: string;
  /** Of GET: the parameters of the query, which are signed with the path; there is no body then. */
  body: object;
  signal: AbortSignal;
  /** Beyond those of every transaction: what names the customer, for instance. */
  headers?: Readonly<Record<string, string>>;
};

type SnapRequest = {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  path: string;
  headers: Record<string, string>;
  /** Empty where there is none. */
  body: string;
  signal: AbortSignal;
};

/** Speaks SNAP to one bank. */
export type SnapClient = Closeable & {
  /**
   * Sends a transaction; `externalId` is unique per partner and day. Throws SnapError where there is no readable answer: the bank
   * may or may not have taken the request.
   */
  post(call: SnapCall): Promise<SnapAnswer>;
  /** The same for a request of tokens: signed by the private key, and without an access token. */
  postSigned(call: Omit<SnapCall, 'externalId' | 'headers'>): Promise<SnapAnswer>;
};

const CONNECTIONS_MAX = 64;
/** For rails that customers pay at: as many again as may ask what has become of payments (services/money-in/src/rail/ask.ts). */
export const PAYMENT_CONNECTIONS_MAX = 128;
const CONNECT_TIMEOUT_MS = 3_000;
const TOKEN_TIMEOUT_MS = 5_000;
const ANSWER_BYTES_MAX = 256 * 1024;
const TOKEN_PATH = '/v1.0/access-token/b2b';

const tokenAnswer = z.object({ accessToken: z.string().min(1).max(4_096), expiresIn: z.coerce.number().int().positive() });
const anyAnswer = z.looseObject({ responseCode: z.string().regex(/^\d{7}$/), responseMessage: z.string().default('') });

/**
 * Opens the client; nothing is sent before the first call. Throws when the url or the private key is none. `now` is real time.
 */
export function openSnapClient(
  credentials: SnapCredentials,
  now: () => number = Date.now,
  connections: number = CONNECTIONS_MAX,
): SnapClient {
  const base = new URL(credentials.url);
  const prefix = base.pathname.replace(/\/$/, '');
  const privateKey = readPrivateKey(credentials.privateKey);
  const pool = new Pool(base.origin, { connections, connect: { timeout: CONNECT_TIMEOUT_MS } });

  const send = async ({ headers, body, ...request }: SnapRequest) => {
    const { signal } = request;
    try {
      const response = await pool.request({
        ...request,
        ...(body !== '' && { body }),
        headers: { 'content-type': 'application/json', accept: 'application/json', ...headers },
      });
      return { httpStatus: response.statusCode, json: parseJson(await readBounded(response.body)) };
    } catch (error) {
      throw toSnapError(error, signal);
    }
  };

  const proofOfKey = () => {
    const timestamp = jakartaIso(now());
    return {
      'x-timestamp': timestamp,
      'x-client-key': credentials.clientKey,
      'x-signature': signTokenRequest(credentials.clientKey, timestamp, privateKey),
    };
  };

  const issue = async (): Promise<IssuedToken> => {
    const headers = proofOfKey();
    const body = JSON.stringify({ grantType: 'client_credentials' });
    const signal = AbortSignal.timeout(TOKEN_TIMEOUT_MS);
    const { httpStatus, json } = await send({ method: 'POST', path: `${prefix}${TOKEN_PATH}`, headers, body, signal });
    const token = tokenAnswer.safeParse(json);
    if (httpStatus !== 200 || !token.success) throw new SnapError(`the bank gives no access token (HTTP ${httpStatus})`);
    return { accessToken: token.data.accessToken, lifetimeMs: token.data.expiresIn * 1_000 };
  };
  const tokens = createSnapTokens(issue, now);

  const postOnce = async ({ service, externalId, signal, headers: more, body: fields }: SnapCall, body: string) => {
    const accessToken = await tokens.get(signal);
    const query = service.method === 'GET' ? `?${new URLSearchParams(Object.entries(fields))}` : '';
    const path = `${prefix}${service.path}${query}`;
    const method = service.method ?? 'POST';
    const timestamp = jakartaIso(now());
    const headers = {
      ...more,
      authorization: `Bearer ${accessToken}`,
      'x-timestamp': timestamp,
      'x-partner-id': credentials.partnerId,
      'x-external-id': externalId,
      'channel-id': credentials.channelId,
      'x-signature': signTransaction({ method, path, accessToken, body, timestamp }, credentials.clientSecret),
    };
    const answer = await send({ method, path, headers, body, signal });
    if (isTokenRefused(answer)) tokens.forget(accessToken);
    return answer;
  };

  const post = async (call: SnapCall): Promise<SnapAnswer> => {
    const body = call.service.method === 'GET' ? '' : JSON.stringify(call.body);
    const first = await postOnce(call, body);
    // The bank no longer knows the token (it was restarted, say), so it has not taken the request: once more with a new one.
    return toAnswer(isTokenRefused(first) ? await postOnce(call, body) : first, call.service);
  };

  const postSigned = async ({ service, body: fields, signal }: Omit<SnapCall, 'externalId' | 'headers'>) => {
    const path = `${prefix}${service.path}`;
    const sent = await send({ method: 'POST', path, headers: proofOfKey(), body: JSON.stringify(fields), signal });
    return toAnswer(sent, service);
  };

  const traced = (
    { service, signal }: Pick<SnapCall, 'service' | 'signal'>,
    work: () => Promise<SnapAnswer>,
  ): Promise<SnapAnswer> =>
    withSpan(`SNAP ${service.path}`, { kind: 'CLIENT', attributes: { 'server.address': base.host } }, async (span) => {
      const answer = await work().catch((error: unknown) => {
        throw signal.aborted ? toSnapError(error, signal) : error;
      });
      span.setAttributes({ 'http.response.status_code': answer.httpStatus, 'snap.response_code': answer.responseCode });
      return answer;
    });

  return {
    post: (call) => traced(call, () => post(call)),
    postSigned: (call) => traced(call, () => postSigned(call)),
    close: () => pool.close(),
  };
}

/** Whether our own token may be what the bank refuses; cases 02 and 04 are about the customer's, which is not ours to renew. */
function isTokenRefused({ httpStatus, json }: { httpStatus: number; json: unknown }): boolean {
  if (httpStatus !== 401) return false;
  const answer = anyAnswer.safeParse(json);
  return !answer.success || !['02', '04'].includes(answer.data.responseCode.slice(5));
}

function toAnswer({ httpStatus, json }: { httpStatus: number; json: unknown }, service: SnapService): SnapAnswer {
  const parsed = anyAnswer.safeParse(json);
  if (!parsed.success) throw new SnapError(`the bank's answer cannot be read (HTTP ${httpStatus})`);
  const { responseCode, responseMessage } = parsed.data;
  if (!responseCode.startsWith(`${httpStatus}${service.code}`)) {
    throw new SnapError(`the bank contradicts itself: HTTP ${httpStatus} with responseCode ${responseCode}`);
  }
  return { httpStatus, responseCode, caseCode: responseCode.slice(5), message: responseMessage, body: parsed.data };
}

async function readBounded(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    // Leaving the loop destroys the rest of the answer.
    if (bytes > ANSWER_BYTES_MAX) throw new SnapError('the bank’s answer is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** JSON.parse quotes the text in its error, and an answer may hold a token: so that error goes no further. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Names what went wrong on the way, by code and never by what was sent. */
function toSnapError(error: unknown, signal: AbortSignal): SnapError {
  if (error instanceof SnapError) return error;
  if (signal.aborted) return new SnapError('no answer in time', { cause: error });
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'no answer';
  return new SnapError(`the connection to the bank failed: ${code}`, { cause: error });
}

function readPrivateKey(pem: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch {
    throw new Error('the private key of the rail is no private key in PEM');
  }
}
