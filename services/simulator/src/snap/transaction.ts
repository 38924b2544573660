import { setTimeout as sleep } from 'node:timers/promises';
import { jakartaDay, verifyTransaction } from '@gerbang/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { Context } from '../context.ts';
import type { Behaviour, Rail } from '../control/behaviours.ts';
import type { Handler } from '../handler.ts';
import {
  GENERAL_ERROR,
  mandatoryHeader,
  readBody,
  recentTimestamp,
  type SnapAnswer,
  SnapRefusal,
  sendAnswer,
  TIMEOUT,
} from './snap.ts';

/** A bank that keeps silent hangs up after this long. */
const SILENCE_MS = 60_000;

/** A transaction that has passed the bank's checks. `externalKey` is its external id, unique per partner and Jakarta day. */
export type SnapCall<Body> = {
  body: Body;
  externalKey: string;
  forced: Exclude<Behaviour['outcome'], 'error'>;
  /** Of Authorization-Customer; empty where there is none. */
  customerToken: string;
};

/** What a service makes of a call; `silence`: it has done its work and does not answer. */
export type Work<Body> = (context: Context, call: SnapCall<Body>) => Promise<SnapAnswer | 'silence'>;

/**
 * An endpoint behind the bank's checks (headers, token, timestamp, signature, body) and within the rail's forced behaviour
 * (contract §11): `error` answers 500 before any work; `error_rate` answers 500 to its share of calls, half of them before and
 * half after the work; `latency_ms` delays every answer.
 */
export function transaction<S extends z.ZodType>(
  service: string,
  schema: S,
  railOf: (body: z.output<S>) => Rail,
  work: Work<z.output<S>>,
): Handler {
  return async (context, request, reply) => {
    const { text, externalKey } = authenticate(context, request);
    const body = readBody(request.method === 'GET' ? JSON.stringify(request.query) : text, schema);
    const { outcome, latency_ms: latencyMs = 0, error_rate: errorRate = 0 } = context.behaviours.get(railOf(body));
    const draw = context.random();
    let answer: SnapAnswer | 'silence' = GENERAL_ERROR;
    if (outcome !== 'error' && draw >= errorRate / 2) {
      const done = await work(context, { body, externalKey, forced: outcome, customerToken: customerTokenOf(request) });
      if (draw >= errorRate) answer = done;
    }
    if (latencyMs > 0) await pause(latencyMs, endOfWaiting(context, reply));
    return answer === 'silence' ? keepSilent(context, request, reply, service) : sendAnswer(context, reply, service, answer);
  };
}

function customerTokenOf({ headers }: FastifyRequest): string {
  const given = headers['authorization-customer'];
  return typeof given === 'string' && given.startsWith('Bearer ') ? given.slice('Bearer '.length) : '';
}

/** Leaves the caller without an answer until it gives up, the service stops, or the bank hangs up. */
async function keepSilent(
  context: Context,
  request: FastifyRequest,
  reply: FastifyReply,
  service: string,
): Promise<FastifyReply> {
  const end = endOfWaiting(context, reply);
  await pause(SILENCE_MS, end);
  if (!end.aborted) return sendAnswer(context, reply, service, TIMEOUT);
  context.metrics.answered(service, 'none');
  reply.hijack();
  request.raw.socket.destroy();
  return reply;
}

function authenticate(context: Context, request: FastifyRequest): { text: string; externalKey: string } {
  const [scheme, accessToken = ''] = mandatoryHeader(request, 'Authorization', /^[\x20-\x7e]{1,4096}$/).split(' ');
  const signature = mandatoryHeader(request, 'X-SIGNATURE');
  const partnerId = mandatoryHeader(request, 'X-PARTNER-ID', /^[A-Za-z0-9_-]{1,36}$/);
  const externalId = mandatoryHeader(request, 'X-EXTERNAL-ID', /^[0-9]{1,36}$/);
  mandatoryHeader(request, 'CHANNEL-ID');
  if (scheme !== 'Bearer' || !context.tokens.isValid(accessToken)) throw new SnapRefusal(401, '01', 'Invalid Token (B2B)');
  const timestamp = recentTimestamp(request);
  const text = typeof request.body === 'string' ? request.body : '';
  const signed = { method: request.method, path: request.url, accessToken, body: text, timestamp };
  if (!verifyTransaction(signed, context.partner.clientSecret, signature)) {
    throw new SnapRefusal(401, '00', 'Unauthorized. {Signature}');
  }
  return { text, externalKey: `${partnerId}:${jakartaDay(Date.now())}:${externalId}` };
}

/** Aborted when the caller has gone away without its answer, or the service stops. */
function endOfWaiting(context: Context, reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  if (reply.raw.destroyed) gone.abort();
  reply.raw.once('close', () => gone.abort());
  return AbortSignal.any([context.stopping, gone.signal]);
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(ms, undefined, { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
