import { contextFrom, openSpan, securityKindOf } from '@gerbang/runtime';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../context.ts';
import { addressOf } from './visit.ts';

/** Follows a request from its head to the end of its answer; `work` runs within its span. */
export type Observer = (request: FastifyRequest, reply: FastifyReply, work: () => void) => void;

/**
 * A span, a log line and the metrics of every request, and a security event where it is refused with 403 or 429; its trace id is
 * the answer's X-Request-Id. Nothing of what the customer wrote is kept, nor the path: it is what opens the page.
 */
export function createObserver({ metrics, log, security }: Pick<Context, 'metrics' | 'log' | 'security'>): Observer {
  security.expect(LISTENER, { forbidden: [FOREIGN], rate_limited: [LIMITED] });
  return (request, reply, work) => {
    const startedAtMs = performance.now();
    const { method } = request;
    const route = routeOf(request);
    const { span, traceId, within } = openSpan(`${method} ${route}`, {
      kind: 'SERVER',
      parent: contextFrom(''),
      attributes: { 'http.request.method': method, 'http.route': route },
    });
    reply.header('x-request-id', traceId);
    const response = reply.raw;
    response.on('close', () => {
      const ms = performance.now() - startedAtMs;
      // A stream ends when its page goes away; any other answer that was not finished counts as 499, as with nginx.
      const status = response.writableFinished || route.endsWith('/events') ? response.statusCode : 499;
      span.setAttribute('http.response.status_code', status);
      span.end();
      metrics.answered(route, method, status, ms);
      log.info({ method, route, status, ms: Math.round(ms * 10) / 10, trace_id: traceId }, 'request');
      const kind = securityKindOf(response.statusCode);
      if (kind === undefined) return;
      const reason = REASONS[response.statusCode] ?? 'unknown';
      security.record({ listener: LISTENER, kind, reason, route, address: addressOf(request), traceId });
    });
    within(work);
  };
}

const LISTENER = 'checkout';
const FOREIGN = 'foreign_form';
const LIMITED = 'rate_limited';

/** What each status means here; 429 is also the answer to a customer who has asked for too many OTPs. */
const REASONS: Readonly<Record<number, string>> = { 403: FOREIGN, 429: LIMITED };

function routeOf(request: FastifyRequest): string {
  return request.is404 ? 'unknown' : (request.routeOptions?.url ?? 'unknown');
}
