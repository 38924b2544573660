import type { FastifyInstance } from 'fastify';
import type { Observer } from '../http/observe.ts';
import type { Route } from '../http/route.ts';
import { createApiDocument } from './document.ts';

/** Where the document is served: to anybody, without token and whitelist (contract §2). */
export const API_DOCUMENT_PATH = '/openapi.json';

/** Serves the document of the routes. It is made when it is first asked for, and kept. */
export function serveApiDocument(app: FastifyInstance, observe: Observer, routes: readonly Route[]): void {
  let document: Buffer | undefined;
  app.get(API_DOCUMENT_PATH, {
    onRequest: (request, reply, done) => observe(request, reply, API_DOCUMENT_PATH, done),
    handler: (_request, reply) => {
      document ??= Buffer.from(JSON.stringify(createApiDocument(routes)));
      return reply.type('application/json; charset=utf-8').send(document);
    },
  });
}
