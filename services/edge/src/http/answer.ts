import { describeRefusal, type Refusal } from '@gerbang/core';
import type { FastifyReply } from 'fastify';
import type { Answer } from './call.ts';
import { sendCsv } from './csv-stream.ts';
import type { Echo, Envelope, Rendered } from './envelope.ts';
import type { Operation } from './operation.ts';
import type { Route } from './route.ts';

/** Identifying fields of a request that its errors echo (contract §2), when they are short texts. */
export const ECHOED = [
  'account_id',
  'reference_number',
  'transaction_id',
  'bank_code',
  'bank_account_number',
  'channel',
  'phone_number',
  'binding_id',
] as const;
/** What every answer carries that has no headers of its own: nothing of it is a page. */
export const ANSWER_HEADERS = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
} as const;
const ECHO_LENGTH_MAX = 64;
const RETRY_AFTER_MS = 1_000;

/** Gives an answer the headers of every answer, where its route has not set others. */
export function addAnswerHeaders(reply: FastifyReply): void {
  if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store');
  if (!reply.hasHeader('content-security-policy')) reply.headers(ANSWER_HEADERS);
}

/** Sends what a handler answers; `echo` gives the identifying fields of the request. */
export function sendAnswer(reply: FastifyReply, { envelope, operation }: Route, answer: Answer, echo: () => Echo): FastifyReply {
  if ('csv' in answer) return sendCsv(reply, answer);
  if ('image' in answer) return reply.type(answer.type).send(answer.image);
  const { data, failure, replayed = false } = answer;
  if (failure !== undefined) return sendFailure(reply, envelope, { ...failure, replayed }, { data });
  if (replayed) reply.header('idempotency-replayed', 'true');
  return send(reply, envelope.success(data, operation.status ?? 200, echo));
}

/** Sends a refusal, with Retry-After where the same request may be sent again later. */
export function sendFailure(
  reply: FastifyReply,
  envelope: Envelope,
  refusal: Refusal,
  more: { data?: object; echo?: Echo } = {},
): FastifyReply {
  reply.request.refused = refusal.refused;
  if (refusal.replayed) reply.header('idempotency-replayed', 'true');
  if (describeRefusal(refusal.refused).retryable) {
    reply.header('retry-after', String(Math.ceil((refusal.retryAfterMs ?? RETRY_AFTER_MS) / 1_000)));
  }
  return send(reply, envelope.failure(refusal, more));
}

/**
 * The identifying fields of a request, from its path, its query or its body. Those that the operation echoes itself are there in
 * any case once the body was read.
 */
export function echoOf(
  request: { params: unknown; query: unknown; body: unknown },
  { echoes = [] }: Pick<Operation, 'echoes'>,
): Echo {
  const echo: Echo = request.body === undefined ? {} : Object.fromEntries(echoes.map((name) => [name, null]));
  for (const source of [request.params, request.query, request.body]) {
    if (typeof source !== 'object' || source === null) continue;
    for (const [name, value] of Object.entries(source)) {
      const isEchoed = ECHOED.some((echoed) => echoed === name) || echoes.includes(name);
      if (isEchoed && typeof value === 'string' && value.length <= ECHO_LENGTH_MAX) echo[name] = value;
    }
  }
  return echo;
}

function send(reply: FastifyReply, { http, body }: Rendered): FastifyReply {
  return reply.code(http).header('content-type', 'application/json; charset=utf-8').send(JSON.stringify(body));
}
