import type { IncomingMessage } from 'node:http';
import {
  contextFrom,
  type Identity,
  type Logger,
  openSpan,
  type SecurityEvents,
  type SpanOptions,
  securityKindOf,
  traceIdOf,
} from '@gerbang/runtime';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Metrics } from '../metrics.ts';
import type { Fault } from './errors.ts';
import { authenticatedBy, claimedBy } from './identity.ts';
import { callerAddress, isFromProxy, type TrustedProxies } from './ip-whitelist.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Why the request failed, where that is not the caller's doing. */
    fault: Fault | undefined;
    /** The code of its refusal, of a closed set. */
    refused: string | undefined;
    /** Who calls, where a listener other than the merchants' has found it out. */
    identity: Identity | undefined;
  }
}

/** Follows a request from its head to the end of its answer; `work` runs within its span. */
export type Observer = (request: FastifyRequest, reply: FastifyReply, route: string, work: () => void) => void;

type Observed = { metrics: Metrics; log: Logger; security: SecurityEvents; trustedProxies: TrustedProxies };

/**
 * Puts every request into a trace of its own, whose id is the answer's X-Request-Id; see `spanOptionsOf` for the caller's. At the
 * end one log line, at `info` or as bad as the request's `fault` says, the metrics, and a security event for 401, 403 and 429:
 * never a header, a body, or a path or query as the caller wrote it. `listener` is its name in security events.
 */
export function createObserver(app: FastifyInstance, observed: Observed, listener: string): Observer {
  const { metrics, log, trustedProxies } = observed;
  app.decorateRequest('fault', undefined);
  app.decorateRequest('refused', undefined);
  app.decorateRequest('identity', undefined);
  return (request, reply, route, work) => {
    const startedAtMs = performance.now();
    const { method, raw } = request;
    const { options, linkedTraceId } = spanOptionsOf(raw, trustedProxies);
    const { span, traceId, within } = openSpan(`${method} ${route}`, {
      kind: 'SERVER',
      attributes: { 'http.request.method': method, 'http.route': route },
      ...options,
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
      const line = {
        method,
        route,
        status,
        ms: Math.round(ms * 10) / 10,
        merchant_id: caller?.merchantId,
        trace_id: traceId,
        linked_trace_id: linkedTraceId,
      };
      if (fault === undefined) log.info(line, 'request');
      else log[fault.level]({ ...line, err: fault.err, cause: fault.cause }, 'request');
      recordRefusal(observed, { request, status: response.statusCode, listener, route, traceId });
    });
    within(work);
  };
}

/** A trace that the caller has named is only linked: it could name one of somebody else's. A trusted proxy continues its own. */
function spanOptionsOf(
  request: IncomingMessage,
  trustedProxies: TrustedProxies,
): { options: Required<Pick<SpanOptions, 'parent' | 'links'>>; linkedTraceId: string | undefined } {
  const { traceparent } = request.headers;
  const named = contextFrom(typeof traceparent === 'string' ? traceparent : '');
  const namedId = traceIdOf(named);
  if (namedId === '' || isFromProxy(request, trustedProxies))
    return { options: { parent: named, links: [] }, linkedTraceId: undefined };
  return { options: { parent: contextFrom(''), links: [named] }, linkedTraceId: namedId };
}

type Refused = { request: FastifyRequest; status: number; listener: string; route: string; traceId: string };

function recordRefusal({ security, trustedProxies }: Observed, { request, status, listener, route, traceId }: Refused): void {
  const kind = securityKindOf(status);
  if (kind === undefined) return;
  const { raw, caller, refused = 'unknown' } = request;
  const known = caller ?? authenticatedBy(raw);
  const proved: Identity | undefined = known && { id: known.clientId, proof: 'authenticated' };
  security.record({
    listener,
    kind,
    reason: refused,
    route,
    address: callerAddress(raw, trustedProxies),
    identity: proved ?? request.identity ?? claimedBy(raw),
    merchantId: known?.merchantId,
    traceId,
  });
}
