import { jakartaDay } from '@gerbang/core';
import { verifyTransaction } from '@gerbang/rails';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../context.ts';

/** How far X-TIMESTAMP may be from the bank's clock. */
const WINDOW_MS = 300_000;

/** An answer of the bank: HTTP status, service and case make the responseCode (SNAP). */
export function answer(
  reply: FastifyReply,
  http: number,
  service: string,
  caseCode: string,
  message: string,
  more: object = {},
): FastifyReply {
  return reply.code(http).send({ responseCode: `${http}${service}${caseCode}`, responseMessage: message, ...more });
}

/** A transaction that has passed the bank's checks; `externalKey` is unique per partner and day. */
export type SnapCall = { body: Record<string, unknown>; externalKey: string };

/** Checks token, timestamp, signature and headers of a transaction; answers and gives undefined when one is wrong. */
export function admit(context: Context, request: FastifyRequest, reply: FastifyReply, service: string): SnapCall | undefined {
  const header = (name: string) => String(request.headers[name] ?? '');
  const refuse = (caseCode: string, message: string, http = 401) => {
    answer(reply, http, service, caseCode, message);
    return undefined;
  };
  const [scheme, accessToken = ''] = header('authorization').split(' ');
  if (scheme !== 'Bearer' || !context.tokens.isValid(accessToken)) return refuse('01', 'Access Token Invalid');
  const timestamp = header('x-timestamp');
  if (!(Math.abs(Date.parse(timestamp) - Date.now()) <= WINDOW_MS)) return refuse('00', 'Unauthorized. X-TIMESTAMP');
  const body = typeof request.body === 'string' ? request.body : '';
  const transaction = { method: request.method, path: request.url, accessToken, body, timestamp };
  if (!verifyTransaction(transaction, context.clientSecret, header('x-signature')))
    return refuse('00', 'Unauthorized. Signature');
  if (!/^\d{1,36}$/.test(header('x-external-id'))) return refuse('01', 'Invalid Field Format {X-EXTERNAL-ID}', 400);
  if (header('x-partner-id') === '' || header('channel-id') === '')
    return refuse('02', 'Invalid Mandatory Field {X-PARTNER-ID, CHANNEL-ID}', 400);
  const parsed = parse(body);
  if (parsed === undefined) return refuse('00', 'Bad Request', 400);
  return { body: parsed, externalKey: `${header('x-partner-id')}:${jakartaDay(Date.now())}:${header('x-external-id')}` };
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
