import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../context.ts';
import { LISTENER, networkOfCustomer } from '../http/limits.ts';
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
  { streamPermits, limitMetrics }: Pick<Context, 'streamPermits' | 'limitMetrics'>,
  request: FastifyRequest,
  reply: FastifyReply,
  payment: { reference: string; first: T; watch: Watch<T>; standingOf: (now: T) => Standing },
): FastifyReply {
  // A page that went away meanwhile would never give its permit back.
  if (reply.raw.destroyed) return reply;
  const network = networkOfCustomer(request);
  const refused = streamPermits.take(network);
  if (refused !== undefined) {
    limitMetrics.refused(LISTENER, refused === 'all' ? 'status streams' : 'status streams of an address');
    return reply.code(503).header('retry-after', '30').send();
  }
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
  raw.once('close', () => {
    stopWatching();
    streamPermits.give(network);
    clearTimeout(timeout);
  });
  tell(payment.first);
  return reply;
}
