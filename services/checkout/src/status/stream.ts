import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../context.ts';
import { addressOf } from '../http/visit.ts';
import type { Phase } from './phase.ts';
import type { Watch } from './watch.ts';

/** Proxies drop connections on which nothing comes. */
const HEARTBEAT_MS = 15_000;
/** Then the browser asks anew, perhaps another replica. */
const STREAM_MAX_MS = 10 * 60_000;

/** How a payment stands, and how long it can still be paid. */
export type Standing = { phase: Phase; remainingMs: number };

/**
 * Answers with server-sent events `status` of `{phase, remaining_ms}`: how the payment stands, at once, at each change and now
 * and then. The stream ends once the payment is over; where too many are open it is 503.
 */
export function streamStatus<T>(
  { permits }: Pick<Context, 'permits'>,
  request: FastifyRequest,
  reply: FastifyReply,
  payment: { reference: string; first: T; watch: Watch<T>; standingOf: (now: T) => Standing },
): FastifyReply {
  const leave = permits.take(addressOf(request));
  if (leave === undefined) return reply.code(503).header('retry-after', '30').send();
  reply.headers({ 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' });
  const headers = Object.entries(reply.getHeaders());
  const { raw } = reply.hijack();
  for (const [name, value] of headers) if (value !== undefined) raw.setHeader(name, value);
  raw.writeHead(200);
  let sentPhase = '';
  let sentAtMs = 0;
  const tell = (now: T) => {
    if (raw.writableEnded) return;
    const { phase, remainingMs } = payment.standingOf(now);
    if (phase === sentPhase && performance.now() - sentAtMs < HEARTBEAT_MS) return;
    sentPhase = phase;
    sentAtMs = performance.now();
    raw.write(`event: status\ndata: ${JSON.stringify({ phase, remaining_ms: remainingMs })}\n\n`);
    if (phase !== 'open' && phase !== 'declined') raw.end();
  };
  const stopWatching = payment.watch.watch(payment.reference, tell);
  const timeout = setTimeout(() => raw.end(), STREAM_MAX_MS);
  raw.on('close', () => {
    stopWatching();
    leave();
    clearTimeout(timeout);
  });
  tell(payment.first);
  return reply;
}
