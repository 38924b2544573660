import type { FastifyInstance } from 'fastify';
import { addPage, type PageSurroundings } from '../http/page.ts';
import type { Route } from '../http/route.ts';
import { createApiDocument } from './document.ts';

/** Serves the document of the routes at /openapi.json (contract §2). It is made when it is first asked for, and kept. */
export function addApiDocument(app: FastifyInstance, routes: readonly Route[], surroundings: PageSurroundings): void {
  let document: Buffer | undefined;
  addPage(app, surroundings, {
    method: 'GET',
    url: '/openapi.json',
    answer(_, reply) {
      document ??= Buffer.from(JSON.stringify(createApiDocument(routes)));
      return reply.send(document);
    },
  });
}
