import { contextFrom, currentTraceId, withSpan } from '@gerbang/runtime';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Context } from '../context.ts';
import type { Caller } from './route.ts';

/**
 * Puts every request into a span of its own, which goes on with the caller's traceparent; its trace id is the answer's X-Request-Id. At the end one
 * log line and the metrics: never a header, a body, or a path or query as the caller wrote it.
 */
export function observeRequests(
  app: FastifyInstance,
  context: Context,
  callerOf: (request: FastifyRequest) => Caller | undefined,
) {
  app.addHook('onRequest', (request, reply, done) => {
    const startedAtMs = performance.now();
    const route = request.routeOptions.url ?? 'unknown';
    const traceparent = request.headers.traceparent;
    const parent = contextFrom(typeof traceparent === 'string' ? traceparent : '');
    const attributes = { 'http.request.method': request.method, 'http.route': route };
    withSpan(`${request.method} ${route}`, { kind: 'SERVER', parent, attributes }, async (span) => {
      const traceId = currentTraceId();
      reply.header('x-request-id', traceId);
      const closed = new Promise<void>((resolve) => reply.raw.once('close', resolve));
      done();
      await closed;
      const ms = performance.now() - startedAtMs;
      // A caller that went away before the answer was sent is told apart, as nginx does.
      const status = reply.raw.writableFinished ? reply.raw.statusCode : 499;
      span.setAttribute('http.response.status_code', status);
      context.metrics.answered(route, request.method, status, ms);
      context.log.info(
        {
          method: request.method,
          route,
          status,
          ms: Math.round(ms * 10) / 10,
          merchant_id: callerOf(request)?.merchantId,
          trace_id: traceId,
        },
        'request',
      );
    }).catch((error: unknown) => context.log.error({ err: error }, 'a request could not be observed'));
  });
}
