import fastify, { type FastifyInstance } from 'fastify';
import { bankTransferRoutes } from './bank-transfer/routes.ts';
import { clockRoutes } from './clock/routes.ts';
import type { Context } from './context.ts';
import { railRoutes } from './control/routes.ts';

/** Everything the simulator answers: the bank's SNAP endpoints, whose signatures need the body as it came, and the control API, which is plain JSON. */
export function buildApp(context: Context, credentials: { clientKey: string; publicKey: string }): FastifyInstance {
  const app = fastify({ bodyLimit: 256 * 1024, forceCloseConnections: true });
  app.setNotFoundHandler((request, reply) =>
    reply.code(404).send({ message: `There is nothing at ${request.method} ${request.url.slice(0, 100)}` }),
  );
  app.setErrorHandler((error: Error & { statusCode?: number }, _request, reply) => {
    const status = error.statusCode ?? 500;
    if (status >= 500) context.log.error({ err: error }, 'a request failed');
    return reply.code(status).send({ message: status >= 500 ? 'Internal error' : error.message });
  });
  app.register(async (bank) => {
    bank.removeAllContentTypeParsers();
    bank.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => done(null, body));
    bankTransferRoutes(bank, context, credentials);
  });
  app.register(async (control) => {
    clockRoutes(control, context);
    railRoutes(control, context);
  });
  return app;
}
