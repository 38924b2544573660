import { jakartaIso } from '@gerbang/core';
import { type Closeable, withSpan } from '@gerbang/runtime';
import { Pool } from 'undici';
import { z } from 'zod';
import { signTokenRequest, signTransaction } from './snap-signature.ts';

/** How a bank is reached and what it knows us by. */
export type SnapCredentials = {
  url: string;
  clientKey: string;
  clientSecret: string;
  /** RSA, PEM. */
  privateKey: string;
  partnerId: string;
  channelId: string;
};

/** An answer of the bank: its HTTP status, the last two digits of its responseCode, and the rest as it came. */
export type SnapAnswer = {
  httpStatus: number;
  responseCode: string;
  caseCode: string;
  message: string;
  body: Record<string, unknown>;
};

/** Speaks SNAP to one bank. Throws where there is no readable answer: whoever calls knows then only that nothing is known. */
export type SnapClient = Closeable & {
  /** POSTs a transaction; `externalId` is unique per partner and day. */
  post(path: string, externalId: string, body: object, signal: AbortSignal): Promise<SnapAnswer>;
};

const CONNECTIONS_MAX = 64;
/** A token is renewed this long before it ends. */
const TOKEN_MARGIN_MS = 60_000;
const TOKEN_PATH = '/v1.0/access-token/b2b';

const tokenAnswer = z.object({ accessToken: z.string().min(1), expiresIn: z.coerce.number().int().positive() });
const anyAnswer = z.looseObject({ responseCode: z.string().regex(/^\d{7}$/), responseMessage: z.string().default('') });

export function openSnapClient(credentials: SnapCredentials): SnapClient {
  const pool = new Pool(new URL(credentials.url).origin, { connections: CONNECTIONS_MAX, connect: { timeout: 3_000 } });
  let token: { text: string; usableUntilMs: number } | undefined;
  let fetching: Promise<string> | undefined;

  const send = async (path: string, headers: Record<string, string>, body: string, signal: AbortSignal) => {
    const response = await pool.request({
      method: 'POST',
      path,
      headers: { 'content-type': 'application/json', ...headers },
      body,
      signal,
    });
    return { status: response.statusCode, json: await response.body.json() };
  };

  const fetchToken = async (): Promise<string> => {
    const timestamp = jakartaIso(Date.now());
    const { status, json } = await send(
      TOKEN_PATH,
      {
        'x-timestamp': timestamp,
        'x-client-key': credentials.clientKey,
        'x-signature': signTokenRequest(credentials.clientKey, timestamp, credentials.privateKey),
      },
      JSON.stringify({ grantType: 'client_credentials' }),
      AbortSignal.timeout(5_000),
    );
    if (status !== 200) throw new Error(`the bank gives no access token: HTTP ${status}`);
    const answer = tokenAnswer.parse(json);
    token = { text: answer.accessToken, usableUntilMs: Date.now() + answer.expiresIn * 1_000 - TOKEN_MARGIN_MS };
    return token.text;
  };

  /** The current token; callers that find none share one request for a new one. */
  const accessToken = (): Promise<string> | string => {
    if (token !== undefined && Date.now() < token.usableUntilMs) return token.text;
    fetching ??= fetchToken().finally(() => {
      fetching = undefined;
    });
    return fetching;
  };

  const postOnce = async (path: string, externalId: string, text: string, signal: AbortSignal): Promise<SnapAnswer> => {
    const bearer = await accessToken();
    const timestamp = jakartaIso(Date.now());
    const { status, json } = await send(
      path,
      {
        authorization: `Bearer ${bearer}`,
        'x-timestamp': timestamp,
        'x-partner-id': credentials.partnerId,
        'x-external-id': externalId,
        'channel-id': credentials.channelId,
        'x-signature': signTransaction(
          { method: 'POST', path, accessToken: bearer, body: text, timestamp },
          credentials.clientSecret,
        ),
      },
      text,
      signal,
    );
    if (status === 401 && token?.text === bearer) token = undefined;
    const body = anyAnswer.parse(json);
    return {
      httpStatus: status,
      responseCode: body.responseCode,
      caseCode: body.responseCode.slice(5),
      message: body.responseMessage,
      body,
    };
  };

  return {
    post(path, externalId, body, signal) {
      const text = JSON.stringify(body);
      return withSpan(`SNAP ${path}`, { kind: 'CLIENT' }, async () => {
        const answer = await postOnce(path, externalId, text, signal);
        // The bank has forgotten the token (it was restarted, say) and so has taken nothing: once more with a new one.
        return answer.httpStatus === 401 ? postOnce(path, externalId, text, signal) : answer;
      });
    },
    close: () => pool.close(),
  };
}
