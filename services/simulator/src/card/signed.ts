import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { Forced } from '../bank-transfer/beneficiary.ts';
import type { Context } from '../context.ts';
import type { Handler } from '../handler.ts';

/** What the acquirer answers: JSON with a status, or nothing at all. */
export type AcquirerAnswer = JsonAnswer | 'silence';
type JsonAnswer = { http: number; body: object };

/** `query`: as it was given. */
export type AcquirerCall<Body> = { body: Body; reference: string; query: unknown; forced: Forced };

const SILENCE_MS = 60_000;
const WINDOW_MS = 5 * 60_000;

/** An error as the acquirer says it. */
export function refusal(http: number, code: string, message: string): JsonAnswer {
  return { http, body: { error: { code, message } } };
}

/**
 * An endpoint behind the acquirer's checks (client key, timestamp, signature, body) and within the rail's forced behaviour (contract
 * §11): `error` answers 500 before any work, `error_rate` to its share of calls, half of them after the work.
 */
export function signed<S extends z.ZodType>(
  schema: S,
  work: (context: Context, call: AcquirerCall<z.output<S>>) => Promise<AcquirerAnswer>,
): Handler {
  return async (context, request, reply) => {
    const text = typeof request.body === 'string' ? request.body : '';
    if (!isSigned(context, request, text)) return send(reply, refusal(401, 'unauthorized', 'The signature is wrong'));
    const body = schema.safeParse(text === '' ? {} : parseJson(text));
    if (!body.success) return send(reply, refusal(422, 'invalid_request', 'A field is wrong'));
    const { outcome, latency_ms: latencyMs = 0, error_rate: errorRate = 0 } = context.behaviours.get('card');
    const draw = context.random();
    let answer: AcquirerAnswer = refusal(500, 'error', 'General error');
    if (outcome !== 'error' && draw >= errorRate / 2) {
      const done = await work(context, {
        body: body.data,
        reference: referenceOf(request),
        query: request.query,
        forced: outcome,
      });
      if (draw >= errorRate) answer = done;
    }
    if (latencyMs > 0) await sleep(latencyMs, undefined, { signal: context.stopping }).catch(() => undefined);
    return answer === 'silence' ? keepSilent(context, request, reply) : send(reply, answer);
  };
}

function referenceOf({ params }: FastifyRequest): string {
  const named = typeof params === 'object' && params !== null && 'reference' in params ? params.reference : '';
  return typeof named === 'string' ? named : '';
}

/** HMAC-SHA256 over method, path, timestamp and the body's hash (docs/rails.md, Cards). */
function isSigned({ partner }: Context, { headers, method, url }: FastifyRequest, text: string): boolean {
  const { 'x-client-key': clientKey, 'x-timestamp': timestamp, 'x-signature': signature } = headers;
  if (clientKey !== partner.clientKey || typeof timestamp !== 'string' || typeof signature !== 'string') return false;
  if (!(Math.abs(Date.parse(timestamp) - Date.now()) <= WINDOW_MS)) return false;
  const bodyHash = createHash('sha256').update(text).digest('hex');
  const lines = [method, url, timestamp, bodyHash].join('\n');
  const expected = createHmac('sha256', partner.clientSecret).update(lines).digest();
  const given = Buffer.from(signature, 'hex');
  return given.length === expected.length && timingSafeEqual(given, expected);
}

function send(reply: FastifyReply, answer: JsonAnswer): FastifyReply {
  return reply.code(answer.http).header('cache-control', 'no-store').send(answer.body);
}

/** Leaves the caller without an answer until it gives up or the service stops. */
async function keepSilent(context: Context, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const gone = new AbortController();
  reply.raw.once('close', () => gone.abort());
  const signal = AbortSignal.any([context.stopping, gone.signal]);
  await sleep(SILENCE_MS, undefined, { signal }).catch(() => undefined);
  reply.hijack();
  request.raw.socket.destroy();
  return reply;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
