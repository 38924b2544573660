import { hash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { addPublicRoute, type PublicChecks } from '../http/public-route.ts';
import { type ApiSources, createApiDocument } from './document.ts';

/** Clients may use the document for so long without asking again. */
const FRESH_SECONDS = 300;

/** Serves the document of the routes at /openapi.json (contract §2). It is made at the first request and kept. */
export function addApiDocument(app: FastifyInstance, sources: ApiSources, checks: PublicChecks): void {
  let document: { bytes: Buffer; etag: string } | undefined;
  addPublicRoute(app, checks, {
    method: 'GET',
    url: '/openapi.json',
    answer(request, reply) {
      document ??= makeDocument(sources);
      const { bytes, etag } = document;
      reply.header('cache-control', `public, max-age=${FRESH_SECONDS}`).header('etag', etag);
      return request.headers['if-none-match'] === etag ? reply.code(304).send() : reply.send(bytes);
    },
  });
}

function makeDocument(sources: ApiSources) {
  const bytes = Buffer.from(JSON.stringify(createApiDocument(sources)));
  return { bytes, etag: `"${hash('sha256', bytes, 'base64url')}"` };
}
