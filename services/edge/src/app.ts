import { type Json, RefusalError, refuse } from '@gerbang/core';
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import type { Context } from './context.ts';
import { echoOf, sendAnswer, sendFailure } from './http/answer.ts';
import { headerOf } from './http/auth.ts';
import { toRefusal } from './http/errors.ts';
import { parseBody, readBody } from './http/json-body.ts';
import { answerMalformed, newRequestId } from './http/malformed.ts';
import { observeRequests } from './http/observe.ts';
import type { Caller, Route } from './http/route.ts';
import { checkRequestSignature } from './http/signature.ts';
import { createUrlMap, envelopeOf, pathOf, type UrlMap } from './http/url-map.ts';
import { routes } from './routes/index.ts';

/** Longer than any URL that Node lets in, so that a long parameter is an unknown id rather than a failure of the router. */
const PARAMETER_LENGTH_MAX = 32 * 1024;
/** A head and a body that take longer than this to arrive are given up. */
const REQUEST_TIMEOUT_MS = 30_000;
/** Longer than load balancers keep a connection, so that they close it and not the edge, right when a request comes in. */
const KEEP_ALIVE_MS = 75_000;

/** Whom each admitted request comes from. */
type Callers = WeakMap<FastifyRequest['raw'], Caller>;

/** The HTTP side of the edge: every route of the URL map behind the checks of contract §2, in their order. */
export function createApp(context: Context): FastifyInstance {
  const app = fastify({
    logger: false,
    exposeHeadRoutes: false,
    return503OnClosing: false,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    routerOptions: { maxParamLength: PARAMETER_LENGTH_MAX },
    // Node's own answer to a missing Host has neither envelope nor request id; it is refused below instead.
    http: { requireHostHeader: false },
    clientErrorHandler: answerMalformed,
    frameworkErrors: (_error, request, reply) => {
      reply.header('x-request-id', newRequestId());
      sendFailure(reply, envelopeOf(request.url), refuse('not_found'));
    },
  });
  // Nor has its answer to an Expect that it does not know; the header is ignored instead, as RFC 9110 lets servers do.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  const callers: Callers = new WeakMap();
  const urlMap = createUrlMap(routes);
  observeRequests(app, context, (request) => callers.get(request.raw));
  app.addHook('onRequest', async (request) => mustHaveHost(request));
  app.addHook('onRequest', async (request, reply) => (hasRoute(request) ? undefined : answerNoRoute(urlMap, request, reply)));
  app.setErrorHandler((error, request, reply) => sendFailure(reply, envelopeOf(request.url), toRefusal(error, context.log)));
  acceptBodies(app);
  closeConnectionsWhenDraining(app);
  for (const route of routes) addRoute(app, context, route, callers);
  return app;
}

/** Contract §2, order of checks: who is calling is known before the body is read; the signature is checked before the body is looked at. */
function addRoute(app: FastifyInstance, context: Context, route: Route, callers: Callers): void {
  app.route<{ Params: Record<string, string>; Querystring: Record<string, unknown>; Body: Json | undefined }>({
    method: route.method,
    url: route.path,
    async onRequest(request) {
      callers.set(request.raw, await route.admit(context, request.raw));
    },
    async handler(request, reply) {
      const caller = callers.get(request.raw);
      if (caller === undefined) throw new Error('a handler runs for admitted callers alone');
      const { params, query, body } = request;
      if (route.signed) checkRequestSignature(request.raw, body, caller, context.realNow());
      const header = (name: string) => headerOf(request.raw, name);
      const call = { caller, route: `${route.method} ${route.path}`, params, query, body, header };
      return sendAnswer(reply, route.envelope, await route.handle(context, call));
    },
    errorHandler(error, request, reply) {
      return sendFailure(reply, route.envelope, toRefusal(error, context.log), { echo: echoOf(request) });
    },
  });
}

/** HTTP/1.1 wants a Host header and 400 without it (RFC 9112, section 3.2), whatever is asked for. Refusals: bad_request. */
function mustHaveHost({ raw }: FastifyRequest): void {
  if (raw.httpVersion === '1.0' || raw.headers.host !== undefined) return;
  throw new RefusalError(refuse('bad_request', { message: 'The Host header is missing' }));
}

/** The router takes /balance-inquiry/ for an account with an empty id; it is no route. */
function hasRoute({ is404, params }: FastifyRequest): boolean {
  return !is404 && !(typeof params === 'object' && params !== null && Object.values(params).includes(''));
}

/** 405 where the path has other methods, else 404. */
function answerNoRoute(urlMap: UrlMap, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const path = pathOf(request.url);
  const found = urlMap.find(path);
  if (found === undefined) return sendFailure(reply, envelopeOf(path), refuse('not_found'));
  const supported = found.methods.join(', ');
  reply.header('allow', supported);
  const message = `The ${request.method} method is not supported for route ${path}. Supported methods: ${supported}.`;
  return sendFailure(reply, found.envelope, refuse('method_not_allowed', { message }));
}

function acceptBodies(app: FastifyInstance): void {
  const formPaths = new Set(routes.filter((route) => route.form).map((route) => route.path));
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', async (request: FastifyRequest, stream: FastifyRequest['raw']) => {
    const form = formPaths.has(request.routeOptions.url ?? '');
    return parseBody(await readBody(stream), request.headers['content-type'], { form });
  });
}

function closeConnectionsWhenDraining(app: FastifyInstance): void {
  let draining = false;
  app.addHook('preClose', async () => {
    draining = true;
  });
  app.addHook('onSend', async (_request, reply) => {
    reply.header('cache-control', 'no-store');
    if (draining) reply.header('connection', 'close');
  });
}
