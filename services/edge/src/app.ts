import { RefusalError, refuse } from '@gerbang/core';
import { networkOf } from '@gerbang/runtime';
import { closingAfter, hostProblem, type Timeouts, timeoutsOf } from '@gerbang/service';
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import type { Context } from './context.ts';
import { createAdmission, OVERLOADED } from './http/admission.ts';
import { addAnswerHeaders, echoOf, sendAnswer, sendFailure } from './http/answer.ts';
import { headerOf } from './http/auth.ts';
import type { Caller } from './http/call.ts';
import type { Envelope } from './http/envelope.ts';
import { toRefusal } from './http/errors.ts';
import { callerAddress } from './http/ip-whitelist.ts';
import { BODY_BYTES_MAX, type Body, NO_BODY, parseBody, readBody } from './http/json-body.ts';
import { malformedIn } from './http/malformed.ts';
import { createObserver, type Observer } from './http/observe.ts';
import type { PublicChecks } from './http/public-route.ts';
import type { Route } from './http/route.ts';
import { checkRequestSignature } from './http/signature.ts';
import { createUrlMap, pathOf, type UrlMap } from './http/url-map.ts';

/** Longer than any URL that Node lets in, so that a long parameter is an unknown id rather than a failure of the router. */
const PARAMETER_LENGTH_MAX = 32 * 1024;
/** Longer than load balancers keep a connection, so that they close it and not the edge, right when a request comes in. */
const KEEP_ALIVE_MS = 75_000;

declare module 'fastify' {
  interface FastifyRequest {
    /** The caller, once it has been admitted. */
    caller: Caller | undefined;
  }
}

/**
 * What a listener answers: the routes of a URL map, the envelope of paths that are none, and what else it adds. All listeners for
 * merchants share the context, and so tokens, whitelists and rates.
 */
export type Listener = {
  /** What metrics and security events call it. */
  name: string;
  routes: readonly Route[];
  unknown: (path: string) => Envelope;
  add?: (app: FastifyInstance, checks: PublicChecks) => void;
};

/** The HTTP side of a listener: every route of its URL map behind the checks of contract §2, in their order. */
export function createApp(context: Context, listener: Listener, timeouts: Timeouts): FastifyInstance {
  const { name, routes, unknown, add } = listener;
  const { http, ...bounded } = timeoutsOf(timeouts);
  const urlMap = createUrlMap(routes, unknown);
  const envelopeFor = (url: string) => urlMap.find(pathOf(url))?.envelope ?? unknown(url);
  const app = fastify({
    logger: false,
    exposeHeadRoutes: false,
    return503OnClosing: false,
    ...bounded,
    keepAliveTimeout: KEEP_ALIVE_MS,
    routerOptions: { maxParamLength: PARAMETER_LENGTH_MAX },
    // Node's own answer to a missing Host has neither envelope nor request id; it is refused below instead.
    http: { ...http, requireHostHeader: false },
    clientErrorHandler: closingAfter(malformedIn(envelopeFor)),
    // The hooks of an app do not run for a path that its router cannot decode.
    frameworkErrors: (_error, request, reply) =>
      observe(request, reply, 'unknown', () => {
        addAnswerHeaders(reply);
        const problem = hostProblem(request.raw);
        if (problem === undefined) answerNoRoute(urlMap, request, reply);
        else sendFailure(reply, envelopeFor(request.url), refuse('bad_request', { message: problem }));
      }),
  });
  // Nor has its answer to an Expect that it does not know; the header is ignored instead, as RFC 9110 lets servers do.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  app.decorateRequest('caller', undefined);
  const observe = createObserver(app, context, name);
  // What the router has found nothing for; the routes have a hook of their own.
  app.addHook('onRequest', (request, reply, done) => {
    if (!request.is404) done();
    else observe(request, reply, 'unknown', () => (hasHost(request, done) ? answerNoRoute(urlMap, request, reply) : undefined));
  });
  app.setErrorHandler((error, request, reply) => fail(request, reply, envelopeFor(request.url), error));
  acceptBodies(app, context, listener);
  closeConnectionsWhenDraining(app, context.draining);
  add?.(app, { observe, hasHost });
  for (const route of routes) addRoute(app, { context, observe, urlMap }, route);
  return app;
}

/**
 * Contract §2, order of checks: who is calling is known before the body is read; the signature is checked before the body is
 * looked at.
 */
function addRoute(
  app: FastifyInstance,
  { context, observe, urlMap }: { context: Context; observe: Observer; urlMap: UrlMap },
  route: Route,
): void {
  const name = `${route.method} ${route.path}`;
  const admission = createAdmission(route.permits);
  context.metrics.watchPermits(route.path, route.method, admission.limit);
  app.route<{ Params: Record<string, string>; Querystring: Record<string, unknown>; Body: Body | undefined }>({
    method: route.method,
    url: route.path,
    onRequest(request, reply, done) {
      observe(request, reply, route.path, () => {
        if (!hasHost(request, done)) return;
        if (hasEmptyParameter(request.params)) answerNoRoute(urlMap, request, reply);
        else {
          // Refused before its body is read, where that is certain already.
          const admitted = () => (admission.limit.isFull ? sendFailure(reply, route.envelope, OVERLOADED) : done());
          admit(context, route, request, (error) => (error === undefined ? admitted() : done(error)));
        }
      });
    },
    handler(request, reply) {
      const answered = admission.run(async () => {
        const { caller, params, query, body = NO_BODY } = request;
        if (caller === undefined) throw new Error('a handler runs only for admitted callers');
        const { json, hash } = body;
        if (route.signed) checkRequestSignature(request.raw, hash, caller, context.realNow());
        const header = (name: string) => headerOf(request.raw, name);
        const address = () => callerAddress(request.raw, context.trustedProxies);
        const call = { caller, route: name, params, query, body: json, bodyHash: hash, address, header };
        const answer = await route.operation.run(context, call);
        sendAnswer(reply, route, answer, () => echoOf({ params, query, body: json }, route.operation));
        // A stream has permits of its own: one that is read slowly takes none of those that lists have.
        if (!reply.sent && !('csv' in answer)) await reply;
      });
      if (answered === undefined) sendFailure(reply, route.envelope, OVERLOADED);
      return route.operation.otherContent === undefined ? answered : answered?.then(() => reply);
    },
    errorHandler(error, request, reply) {
      const { params, query, body } = request;
      return fail(request, reply, route.envelope, error, { echo: echoOf({ params, query, body: body?.json }, route.operation) });
    },
  });
}

/** Tells the caller what the error means, and the log what is not the caller's doing. */
function fail(
  request: FastifyRequest,
  reply: FastifyReply,
  envelope: Envelope,
  error: unknown,
  options?: { echo: ReturnType<typeof echoOf> },
): FastifyReply {
  const { refusal, fault } = toRefusal(error);
  request.fault = fault;
  return sendFailure(reply, envelope, refusal, options);
}

/** Finds out who is calling; where all is in memory, without waiting. */
function admit(context: Context, route: Route, request: FastifyRequest, done: (error?: Error) => void): void {
  let caller: Caller | Promise<Caller>;
  try {
    caller = route.admit(context, request.raw);
  } catch (error) {
    done(error instanceof Error ? error : new Error('a request could not be admitted', { cause: error }));
    return;
  }
  const admitted = (known: Caller) => {
    request.caller = known;
    done();
  };
  if (caller instanceof Promise) caller.then(admitted, done);
  else admitted(caller);
}

/** Whether the request has the one Host that it needs, on every path. Refusals, to `done`: bad_request. */
function hasHost({ raw }: FastifyRequest, done: (error: Error) => void): boolean {
  const problem = hostProblem(raw);
  if (problem === undefined) return true;
  done(new RefusalError(refuse('bad_request', { message: problem })));
  return false;
}

/** The router takes /balance-inquiry/ for an account with an empty id; it is no route. */
function hasEmptyParameter(params: Record<string, string>): boolean {
  for (const name in params) if (params[name] === '') return true;
  return false;
}

/** 405 where the path has other methods, else 404: also where a part of it cannot be decoded. */
function answerNoRoute(urlMap: UrlMap, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const path = pathOf(request.url);
  const found = urlMap.find(path);
  if (found === undefined) return sendFailure(reply, urlMap.unknown(path), refuse('not_found'));
  if (found.methods.includes(request.method)) return sendFailure(reply, found.envelope, refuse('not_found'));
  const supported = found.methods.join(', ');
  reply.header('allow', supported);
  const message = `The ${request.method} method is not supported for route ${path}. Supported methods: ${supported}.`;
  return sendFailure(reply, found.envelope, refuse('method_not_allowed', { message }));
}

function acceptBodies(app: FastifyInstance, context: Context, { name, routes }: Listener): void {
  const { unfinishedBodies, trustedProxies, limitMetrics } = context;
  const refused = () => limitMetrics.refused(name, 'unfinished bodies');
  const formPaths = new Set(routes.filter((route) => route.form).map((route) => route.path));
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (request, _stream, done) => {
    const { raw } = request;
    // Only public routes read bodies of callers that are not known.
    const merchantId = request.caller?.merchantId;
    const caller = merchantId ?? networkOf(callerAddress(raw, trustedProxies) ?? '');
    const unfinished = merchantId === undefined ? unfinishedBodies.ofUnknown : unfinishedBodies.ofMerchants;
    readBody(raw, { bytesMax: BODY_BYTES_MAX, caller, unfinished, refused }, (failure, bytes) => {
      if (bytes === undefined) return done(failure);
      let body: Body;
      try {
        const takesForm = () => formPaths.has(request.routeOptions.url ?? '');
        body = parseBody(bytes, raw.headers['content-type'], { takesForm });
      } catch (error) {
        return done(error instanceof Error ? error : new Error('a body could not be read', { cause: error }));
      }
      done(null, body);
    });
  });
}

function closeConnectionsWhenDraining(app: FastifyInstance, draining: AbortSignal): void {
  app.addHook('onSend', (_request, reply, payload, done) => {
    addAnswerHeaders(reply);
    if (draining.aborted) reply.header('connection', 'close');
    done(null, payload);
  });
}
