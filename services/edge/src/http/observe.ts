import { contextFrom, openSpan } from '@gerbang/runtime';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../context.ts';
import type { Fault } from './errors.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Why the request failed, where that is not the caller's doing. */
    fault: Fault | undefined;
  }
}

/** Follows a request from its head to the end of its answer; `work` runs within its span. */
export type Observer = (request: FastifyRequest, reply: FastifyReply, route: string, work: () => void) => void;

/**
 * Puts every request into a span of its own, which goes on with the caller's traceparent; its trace id is the answer's
 * X-Request-Id. At the end one log line, at `info` or as bad as the request's `fault` says, and the metrics: never a header, a
 * body, or a path or query as the caller wrote it.
 */
export function createObserver(app: FastifyInstance, { metrics, log }: Pick<Context, 'metrics' | 'log'>): Observer {
  app.decorateRequest('fault', undefined);
  return (request, reply, route, work) => {
    const startedAtMs = performance.now();
    const { method, raw } = request;
    const { traceparent } = raw.headers;
    const { span, traceId, within } = openSpan(`${method} ${route}`, {
      kind: 'SERVER',
      parent: contextFrom(typeof traceparent === 'string' ? traceparent : ''),
      attributes: { 'http.request.method': method, 'http.route': route },
    });
    reply.header('x-request-id', traceId);
    const response = reply.raw;
    response.on('close', () => {
      const ms = performance.now() - startedAtMs;
      // A caller that went away before the answer was sent has its own status, as in nginx.
      const status = response.writableFinished ? response.statusCode : 499;
      span.setAttribute('http.response.status_code', status);
      span.end();
      metrics.answered(route, method, status, ms);
      const { caller, fault } = request;
      const line = { method, route, status, ms: Math.round(ms * 10) / 10, merchant_id: caller?.merchantId, trace_id: traceId };
      if (fault === undefined) log.info(line, 'request');
      else log[fault.level]({ ...line, err: fault.err, cause: fault.cause }, 'request');
    });
    within(work);
  };
}
