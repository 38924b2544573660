import fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type HTTPMethods,
} from 'fastify';
import { ACCESS_TOKEN, accessToken } from './bank-transfer/access-token.ts';
import { ACCOUNT_INQUIRY, accountInquiry } from './bank-transfer/account-inquiry.ts';
import { SnapRefusal, sendAnswer } from './bank-transfer/snap.ts';
import { TRANSFER_INTERBANK, transferInterbank } from './bank-transfer/transfer-interbank.ts';
import { TRANSFER_STATUS, transferStatus } from './bank-transfer/transfer-status.ts';
import { advanceClock } from './clock/advance-clock.ts';
import { readClock } from './clock/read-clock.ts';
import type { Context } from './context.ts';
import { clearBehaviour } from './control/clear-behaviour.ts';
import { ControlError } from './control/json.ts';
import { readBooks } from './control/read-books.ts';
import { setBehaviour } from './control/set-behaviour.ts';
import type { Handler } from './handler.ts';

/** A route of the bank has its SNAP service; one of the control API answers loopback only, unless it changes and tells nothing of anyone. */
type Route = { method: HTTPMethods; url: string; handler: Handler } & ({ service: string } | { anyone: boolean });

/** Everything the simulator answers. */
const ROUTES: readonly Route[] = [
  { method: 'POST', url: '/v1.0/access-token/b2b', handler: accessToken, service: ACCESS_TOKEN },
  { method: 'POST', url: '/v1.0/account-inquiry-external', handler: accountInquiry, service: ACCOUNT_INQUIRY },
  { method: 'POST', url: '/v1.0/transfer-interbank', handler: transferInterbank, service: TRANSFER_INTERBANK },
  { method: 'POST', url: '/v1.0/transfer/status', handler: transferStatus, service: TRANSFER_STATUS },
  { method: 'PUT', url: '/sandbox/rails/:rail', handler: setBehaviour, anyone: false },
  { method: 'DELETE', url: '/sandbox/rails/:rail', handler: clearBehaviour, anyone: false },
  { method: 'GET', url: '/sandbox/rails/:rail/books', handler: readBooks, anyone: false },
  // The services follow the clock from wherever they run.
  { method: 'GET', url: '/sandbox/clock', handler: readClock, anyone: true },
  { method: 'POST', url: '/sandbox/clock/advance', handler: advanceClock, anyone: false },
];

const METHODS: readonly HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];
const BODY_BYTES_MAX = 256 * 1024;
const LOOPBACK = /^(?:127\.|::1$|::ffff:127\.)/;

/** Builds the HTTP side. JSON bodies come to the handlers as the text that was sent: SNAP signs that text. */
export function buildApp(context: Context): FastifyInstance {
  const app = fastify({ bodyLimit: BODY_BYTES_MAX, forceCloseConnections: 'idle', exposeHeadRoutes: false });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => done(null, body));

  for (const route of ROUTES) {
    app.route({
      method: route.method,
      url: route.url,
      // Before the body is read.
      onRequest: async (request) => {
        if ('anyone' in route && !route.anyone && !LOOPBACK.test(request.raw.socket.remoteAddress ?? '')) {
          throw new ControlError(403, 'The sandbox is controlled from the machine it runs on');
        }
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

/** One shape of error for the bank's routes (`service`: SNAP's), one for all others. What went wrong inside is logged, not told. */
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
  if (status >= 500) context.log.error({ err: error, url: request.url }, 'a request failed');
  if (service !== undefined) {
    const answer = error instanceof SnapRefusal ? error.answer : { http: status, caseCode: '00', message };
    return sendAnswer(context, reply, service, answer);
  }
  return reply
    .code(status)
    .send({ message, ...(error instanceof ControlError && error.errors !== undefined && { errors: error.errors }) });
}
