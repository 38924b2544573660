import type { PaymentLinkHistory } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import { addressOf, type Handler } from '../http/visit.ts';
import { sessionOf } from './references.ts';
import { phaseOf, remainingMs } from './session.ts';

/** Proxies drop connections on which nothing comes. */
const HEARTBEAT_MS = 15_000;
/** Then the browser asks anew, perhaps another replica. */
const STREAM_MAX_MS = 10 * 60_000;

/**
 * GET /pay/{reff_no}/{session}/events: server-sent events `status` with `{phase, remaining_ms}`: how the session stands, at once, at each change and now and then.
 * The stream ends once the session is over.
 */
export const followSession: Handler = async (context, request, reply) => {
  const { history } = await sessionOf(context, request.params);
  const leave = context.places.take(addressOf(request));
  if (leave === undefined) return reply.code(503).header('retry-after', '30').send();
  reply.headers({ 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' });
  const headers = Object.entries(reply.getHeaders());
  const { raw } = reply.hijack();
  for (const [name, value] of headers) if (value !== undefined) raw.setHeader(name, value);
  raw.writeHead(200);
  let sentPhase = '';
  let sentAtMs = 0;
  const tell = (now: PaymentLinkHistory) => {
    if (raw.writableEnded) return;
    const phase = phaseOf(now, context.clock.now());
    if (phase === sentPhase && performance.now() - sentAtMs < HEARTBEAT_MS) return;
    sentPhase = phase;
    sentAtMs = performance.now();
    const data = { phase, remaining_ms: remainingMs(now, context.clock.now()) };
    raw.write(`event: status\ndata: ${JSON.stringify(data)}\n\n`);
    if (phase !== 'open' && phase !== 'declined') raw.end();
  };
  const stopWatching = context.watch.watch(history.reffNo, tell);
  const timeout = setTimeout(() => raw.end(), STREAM_MAX_MS);
  raw.on('close', () => {
    stopWatching();
    leave();
    clearTimeout(timeout);
  });
  tell(history);
  return reply;
};
