import type { FastifyInstance } from 'fastify';
import { addPublicRoute, type PublicChecks } from '../http/public-route.ts';
import type { Route } from '../http/route.ts';
import { createApiDocument } from './document.ts';

/** Serves the document of the routes at /openapi.json (contract §2). It is made at the first request and kept. */
export function addApiDocument(app: FastifyInstance, routes: readonly Route[], checks: PublicChecks): void {
  let document: Buffer | undefined;
  addPublicRoute(app, checks, {
    method: 'GET',
    url: '/openapi.json',
    answer(_, reply) {
      document ??= Buffer.from(JSON.stringify(createApiDocument(routes)));
      return reply.send(document);
    },
  });
}
