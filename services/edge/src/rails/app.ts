import { jakartaIso, RefusalError } from '@gerbang/core';
import { answeringMalformed, closingAfter, hostProblem, type Timeouts, timeoutsOf } from '@gerbang/service';
import { type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import { ANSWER_HEADERS, addAnswerHeaders } from '../http/answer.ts';
import { type Fault, faultOf } from '../http/errors.ts';
import { createObserver } from '../http/observe.ts';
import { ACCESS_TOKEN, accessToken } from './access-token.ts';
import { checkSignature, findCaller, type RailCaller } from './authenticate.ts';
import type { RailsContext } from './context.ts';
import { RAILS_LISTENER, readRailBody, underPermit, withTokenFailures } from './limits.ts';
import { RAILS_SERVICES } from './services.ts';
import { GENERAL_ERROR, type SnapAnswer, SnapRefusal, sendSnap, TIMEOUT } from './snap.ts';

const KEEP_ALIVE_MS = 75_000;
/** SNAP has no service for what is none. */
const NO_SERVICE = '00';
const NOT_FOUND: SnapAnswer = { http: 404, caseCode: '00', message: 'Not Found' };

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

const TOKEN_PATH = '/v1.0/access-token/b2b';

/** The HTTP side of the rails listener: SNAP's services behind a rail's own proof of who it is. */
export function createRailsApp(context: RailsContext, timeouts: Timeouts): FastifyInstance {
  const { http, ...bounded } = timeoutsOf(timeouts);
  const app = fastify({
    logger: false,
    exposeHeadRoutes: false,
    return503OnClosing: false,
    ...bounded,
    // Node's own answer to a missing Host is no SNAP; it is refused below instead.
    http: { ...http, requireHostHeader: false },
    keepAliveTimeout: KEEP_ALIVE_MS,
    forceCloseConnections: 'idle',
    clientErrorHandler: closingAfter(malformedIn(context)),
    // The hooks of an app do not run for a path that its router cannot decode.
    frameworkErrors: (_error, request, reply) =>
      observe(request, reply, 'unknown', () => {
        addAnswerHeaders(reply);
        sendSnap(context, reply, NO_SERVICE, NOT_FOUND);
      }),
  });
  const observe = createObserver(app, context, RAILS_LISTENER);
  const callers = new WeakMap<FastifyRequest, RailCaller>();
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', (request, _stream, done) => readRailBody(context, request.raw, done));
  app.addHook('onRequest', (request, reply, done) =>
    observe(request, reply, request.routeOptions.url ?? 'unknown', () => {
      if (hostProblem(request.raw) === undefined) done();
      else done(new SnapRefusal(400, '00', 'Bad Request'));
    }),
  );
  app.addHook('onSend', (_request, reply, payload, done) => {
    addAnswerHeaders(reply);
    done(null, payload);
  });

  const answerErrors = (code: string) => (error: FastifyError, request: FastifyRequest, reply: FastifyReply) => {
    const { answer, fault } = toAnswer(error);
    request.fault = fault;
    return sendSnap(context, reply, code, answer);
  };
  app.post(TOKEN_PATH, { errorHandler: answerErrors(ACCESS_TOKEN) }, async (request, reply) => {
    const issue = () => accessToken(context, request.raw, textOf(request.body));
    return sendSnap(context, reply, ACCESS_TOKEN, withTokenFailures(context, request.raw, issue));
  });
  for (const { path, code, answer } of RAILS_SERVICES) {
    app.post(path, {
      onRequest: async (request) => {
        callers.set(request, findCaller(context, request.raw));
      },
      errorHandler: answerErrors(code),
      handler: async (request, reply) => {
        const caller = callers.get(request);
        if (caller === undefined) throw new Error('a handler runs only for a caller that was found');
        const text = textOf(request.body);
        // Nothing of the body is looked at before its signature holds, and a permit is taken only by who has signed.
        checkSignature(caller, request.url, text);
        request.identity = { id: caller.partner.partnerId, proof: 'authenticated' };
        const answered = await underPermit(context, caller.partner, () => answer(context, caller.partner, text));
        return sendSnap(context, reply, code, answered);
      },
    });
  }
  const paths = new Set([TOKEN_PATH, ...RAILS_SERVICES.map(({ path }) => path)]);
  app.setNotFoundHandler((request, reply) => {
    const isPath = paths.has(request.url.split('?', 1)[0] ?? '');
    if (isPath) reply.header('allow', 'POST');
    const refused = isPath ? { http: 405, caseCode: '00', message: 'Requested Function Is Not Supported' } : NOT_FOUND;
    return sendSnap(context, reply, NO_SERVICE, refused);
  });
  app.setErrorHandler(answerErrors(NO_SERVICE));
  return app;
}

/** Refusals: 400 00, for bytes that are no text. An empty body is empty text. */
function textOf(body: unknown): string {
  if (!(body instanceof Uint8Array)) return '';
  try {
    return utf8.decode(body);
  } catch {
    throw new SnapRefusal(400, '00', 'Bad Request');
  }
}

/**
 * What a rail gets for an error. Where money-in or money-out is away, or does not answer in time, it is 504: the rail comes
 * again, and its payment or report counts once. What went wrong inside is logged and not told.
 */
function toAnswer(error: FastifyError | SnapRefusal | RefusalError): { answer: SnapAnswer; fault?: Fault } {
  if (error instanceof SnapRefusal) return { answer: error.answer };
  if (error instanceof RefusalError && ['unavailable', 'timeout', 'overloaded'].includes(error.refusal.refused))
    return { answer: TIMEOUT, fault: faultOf(error, 'warn') };
  if ('statusCode' in error && error.statusCode !== undefined && error.statusCode < 500) {
    const message = error.statusCode === 413 ? 'Request Too Large' : 'Bad Request';
    return { answer: { http: error.statusCode, caseCode: '00', message } };
  }
  return { answer: GENERAL_ERROR, fault: faultOf(error, 'error') };
}

/** Answers what is no request as SNAP does what belongs to no service. */
function malformedIn({ realNow }: RailsContext) {
  return answeringMalformed(({ status, meaning }) => ({
    type: 'application/json; charset=utf-8',
    body: JSON.stringify({ responseCode: `${status}${NO_SERVICE}00`, responseMessage: meaning }),
    headers: { ...ANSWER_HEADERS, 'x-timestamp': jakartaIso(realNow()) },
  }));
}
