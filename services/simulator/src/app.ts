import fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type HTTPMethods,
} from 'fastify';
import { showHistory as showCardHistory } from './card/history.ts';
import { advanceClock } from './clock/advance-clock.ts';
import { readClock } from './clock/read-clock.ts';
import type { Context } from './context.ts';
import { clearBehaviour } from './control/clear-behaviour.ts';
import { explainSignatureOf } from './control/explain-signature.ts';
import { checkControl } from './control/guard.ts';
import { ControlError } from './control/json.ts';
import { readBooks } from './control/read-books.ts';
import { setBehaviour } from './control/set-behaviour.ts';
import { addRow, changeRow, dropRow, forgetChanges, showHistory } from './history/control.ts';
import { BANK_STATEMENT, bankStatement, TRANSACTION_HISTORY, transactionHistory } from './history/snap.ts';
import { RAILS } from './rails.ts';
import type { Route } from './simulated-rail.ts';
import { ACCESS_TOKEN, accessToken } from './snap/access-token.ts';
import { SnapRefusal, sendAnswer } from './snap/snap.ts';

/** What no rail has of its own: tokens of the bank, and the control API. */
const SHARED_ROUTES: readonly Route[] = [
  { method: 'POST', url: '/v1.0/access-token/b2b', handler: accessToken, service: ACCESS_TOKEN },
  { method: 'POST', url: '/v1.0/transaction-history-list', handler: transactionHistory, service: TRANSACTION_HISTORY },
  { method: 'POST', url: '/v1.0/bank-statement', handler: bankStatement, service: BANK_STATEMENT },
  { method: 'GET', url: '/card/v1/history', handler: showCardHistory, anyone: true },
  { method: 'GET', url: '/sandbox/history/:rail', handler: showHistory, anyone: false },
  { method: 'DELETE', url: '/sandbox/history/:rail', handler: forgetChanges, anyone: false },
  { method: 'POST', url: '/sandbox/history/:rail/rows', handler: addRow, anyone: false },
  { method: 'PATCH', url: '/sandbox/history/:rail/rows/:id', handler: changeRow, anyone: false },
  { method: 'DELETE', url: '/sandbox/history/:rail/rows/:id', handler: dropRow, anyone: false },
  { method: 'POST', url: '/sandbox/signature/explain', handler: explainSignatureOf, anyone: false },
  { method: 'PUT', url: '/sandbox/rails/:rail', handler: setBehaviour, anyone: false },
  { method: 'DELETE', url: '/sandbox/rails/:rail', handler: clearBehaviour, anyone: false },
  { method: 'GET', url: '/sandbox/rails/:rail/books', handler: readBooks, anyone: false },
  // The services follow the clock from any address.
  { method: 'GET', url: '/sandbox/clock', handler: readClock, anyone: true },
  { method: 'POST', url: '/sandbox/clock/advance', handler: advanceClock, anyone: false },
];

/** Everything the simulator answers. */
const ROUTES: readonly Route[] = [...SHARED_ROUTES, ...RAILS.flatMap(({ routes }) => routes)];

const METHODS: readonly HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];
const BODY_BYTES_MAX = 256 * 1024;

/** Builds the HTTP side. JSON bodies come to the handlers as the text that was sent: SNAP signs that text. */
export function buildApp(context: Context): FastifyInstance {
  const app = fastify({ bodyLimit: BODY_BYTES_MAX, forceCloseConnections: 'idle', exposeHeadRoutes: false });
  app.removeAllContentTypeParsers();
  const types = ['application/json', 'application/x-www-form-urlencoded'];
  app.addContentTypeParser(types, { parseAs: 'string' }, (_request, body, done) => done(null, body));

  for (const route of ROUTES) {
    app.route({
      method: route.method,
      url: route.url,
      // Before the body is read.
      onRequest: async (request) => {
        if ('anyone' in route && !route.anyone) checkControl(request);
      },
      errorHandler: (error, request, reply) =>
        sendError(context, error, request, reply, 'service' in route ? route.service : undefined),
      handler: (request, reply) => route.handler(context, request, reply),
    });
  }
  for (const url of new Set(ROUTES.map((route) => route.url))) {
    const allowed = ROUTES.filter((route) => route.url === url).map((route) => route.method);
    app.route({
      method: METHODS.filter((method) => !allowed.includes(method)),
      url,
      handler: (_request, reply) =>
        reply
          .code(405)
          .header('allow', allowed.join(', '))
          .send({ message: `This address takes ${allowed.join(' and ')} only` }),
    });
  }
  app.setNotFoundHandler((request, reply) =>
    reply.code(404).send({ message: `There is nothing at ${request.method} ${request.url.slice(0, 100)}` }),
  );
  app.setErrorHandler((error: FastifyError, request, reply) => sendError(context, error, request, reply, undefined));
  return app;
}

/**
 * One shape of error for the bank's routes (`service`: SNAP's), one for all others. What went wrong inside is logged, not told.
 */
function sendError(
  context: Context,
  error: FastifyError | SnapRefusal | ControlError,
  request: FastifyRequest,
  reply: FastifyReply,
  service: string | undefined,
): FastifyReply {
  const status =
    error instanceof ControlError ? error.status : error instanceof SnapRefusal ? error.answer.http : (error.statusCode ?? 500);
  const message = status >= 500 ? 'General Error' : error.message;
  if (status >= 500) context.log.error({ err: error, url: request.routeOptions.url }, 'a request failed');
  if (service !== undefined) {
    const answer = error instanceof SnapRefusal ? error.answer : { http: status, caseCode: '00', message };
    return sendAnswer(context, reply, service, answer);
  }
  return reply
    .code(status)
    .send({ message, ...(error instanceof ControlError && error.errors !== undefined && { errors: error.errors }) });
}
