import { createPrivateKey, type KeyObject } from 'node:crypto';
import { jakartaIso } from '@gerbang/core';
import { type Closeable, withSpan } from '@gerbang/runtime';
import { z } from 'zod';
import { aspi } from './providers/aspi.ts';
import { externalIdFor } from './providers/external-id.ts';
import { findService, type Provider, type SnapService } from './providers/provider.ts';
import { openSnapHttp, SnapError, type TlsVersion, toSnapError } from './snap-http.ts';
import { createSigner, proofOfKey } from './snap-signer.ts';
import type { Treatment } from './treatment.ts';

export type { SnapService } from './providers/provider.ts';
export { SnapError } from './snap-http.ts';

/** How a bank is reached and what it knows us by. */
export type SnapCredentials = {
  /** The bank's address; a path in it goes before every endpoint's, and is signed with it. */
  url: string;
  /** What the bank has of its own; absent: nothing, it speaks SNAP as ASPI publishes it. */
  provider?: Provider;
  clientKey: string;
  clientSecret: string;
  /** RSA, PEM. */
  privateKey: string;
  partnerId: string;
  /** Empty where the provider prescribes it for each service. */
  channelId: string;
  /** 1.3 where absent. */
  tlsMin?: TlsVersion;
};

/** A readable answer: its responseCode is that of its HTTP status and of the service that was called. */
export type SnapAnswer = {
  httpStatus: number;
  responseCode: string;
  /** The last two digits of the responseCode. */
  caseCode: string;
  message: string;
  body: object;
  /** What the case means at this provider, where that is not what SNAP says. */
  treatment?: Treatment | undefined;
};

export type SnapCall = {
  service: SnapService;
  /** At most 36 digits; it is sent in the form that the provider wants. */
  externalId: string;
  /** Of GET: the parameters of the query, which are signed with the path; there is no body then. */
  body: object;
  signal: AbortSignal;
  /** Beyond those of every transaction: what names the customer, for instance. */
  headers?: Readonly<Record<string, string>>;
  /** For services whose answers are long. */
  answerBytesMax?: number;
};

/** Speaks SNAP to one bank. */
export type SnapClient = Closeable & {
  /**
   * Sends a transaction; `externalId` is unique per partner and day. Throws SnapError where there is no readable answer: the bank
   * may or may not have taken the request.
   */
  post(call: SnapCall): Promise<SnapAnswer>;
  /** The same for a request of tokens: proved by the private key, and without an access token. */
  postSigned(call: Omit<SnapCall, 'externalId' | 'headers'>): Promise<SnapAnswer>;
};

const CONNECTIONS_MAX = 64;
/** For rails that customers pay at: as many again as may ask what has become of payments (services/money-in/src/rail/ask.ts). */
export const PAYMENT_CONNECTIONS_MAX = 128;

const anyAnswer = z.looseObject({ responseCode: z.string().regex(/^\d{7}$/), responseMessage: z.string().default('') });

/**
 * Opens the client; nothing is sent before the first call. Throws when the url or the private key is none. `now` is real time.
 */
export function openSnapClient(
  credentials: SnapCredentials,
  now: () => number = Date.now,
  connections: number = CONNECTIONS_MAX,
): SnapClient {
  const { provider = aspi, tlsMin = '1.3', clientKey, clientSecret, partnerId, channelId } = credentials;
  const base = new URL(credentials.url);
  const prefix = base.pathname.replace(/\/$/, '');
  const http = openSnapHttp(base.origin, { connections, tlsMin });
  const tokenService = findService(provider, 'accessTokenB2b');
  const tokenPath = tokenService && `${prefix}${tokenService.path}`;
  const keys = { clientKey, clientSecret, privateKey: readPrivateKey(credentials.privateKey) };
  const signer = createSigner(provider.signature, keys, { http, tokenPath, now });

  const postOnce = async (
    { service, externalId, body: fields, signal, headers: more, answerBytesMax }: SnapCall,
    body: string,
  ) => {
    const method = service.method ?? 'POST';
    const query = method === 'GET' ? `?${new URLSearchParams(Object.entries(fields))}` : '';
    const message = { method, path: `${prefix}${service.path}${query}`, body, timestamp: jakartaIso(now()) };
    const signed = await signer.sign(message, signal);
    const headers = {
      ...more,
      ...signed,
      'x-timestamp': message.timestamp,
      'x-partner-id': partnerId,
      'x-external-id': externalIdFor(service, externalId),
      'channel-id': channelId || (service.channelId ?? ''),
    };
    const answer = await http.send({ method, path: message.path, headers, body, signal, answerBytesMax });
    return { ...answer, mayRepeat: isTokenRefused(answer) && signer.refused(signed) };
  };

  const post = async (call: SnapCall): Promise<SnapAnswer> => {
    const body = call.service.method === 'GET' ? '' : toBody(call);
    const first = await postOnce(call, body);
    // The bank has not taken the request: once more with a new token.
    return toAnswer(first.mayRepeat ? await postOnce(call, body) : first, call.service);
  };

  const postSigned = async (call: Omit<SnapCall, 'externalId' | 'headers'>): Promise<SnapAnswer> => {
    const { service, signal, answerBytesMax } = call;
    const headers = proofOfKey(keys, now());
    const path = `${prefix}${service.path}`;
    return toAnswer(await http.send({ method: 'POST', path, headers, body: toBody(call), signal, answerBytesMax }), service);
  };

  const traced = ({ service, signal }: Pick<SnapCall, 'service' | 'signal'>, work: () => Promise<SnapAnswer>) =>
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
    close: () => http.close(),
  };
}

/** Whether our own token may be what the bank refuses; cases 02 and 04 are about the customer's, which is not ours to renew. */
function isTokenRefused({ httpStatus, json }: { httpStatus: number; json: unknown }): boolean {
  if (httpStatus !== 401) return false;
  const answer = anyAnswer.safeParse(json);
  return !answer.success || !['02', '04'].includes(answer.data.responseCode.slice(5));
}

/** The body as it is sent, with what the provider wants in every request of the service. */
function toBody({ service, body }: Pick<SnapCall, 'service' | 'body'>): string {
  if (service.additionalInfo === undefined) return JSON.stringify(body);
  const own = 'additionalInfo' in body && typeof body.additionalInfo === 'object' ? body.additionalInfo : {};
  return JSON.stringify({ ...body, additionalInfo: { ...own, ...service.additionalInfo } });
}

function toAnswer({ httpStatus, json }: { httpStatus: number; json: unknown }, service: SnapService): SnapAnswer {
  const parsed = anyAnswer.safeParse(json);
  if (!parsed.success) throw new SnapError(`the bank's answer cannot be read (HTTP ${httpStatus})`);
  const { responseCode, responseMessage } = parsed.data;
  if (!responseCode.startsWith(`${httpStatus}${service.code}`)) {
    throw new SnapError(`the bank contradicts itself: HTTP ${httpStatus} with responseCode ${responseCode}`);
  }
  const caseCode = responseCode.slice(5);
  const treatment = service.treatments?.[`${httpStatus}${caseCode}`];
  return { httpStatus, responseCode, caseCode, message: responseMessage, body: parsed.data, treatment };
}

function readPrivateKey(pem: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch {
    throw new Error('the private key of the rail is no private key in PEM');
  }
}
