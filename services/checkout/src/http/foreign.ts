import type { FastifyRequest } from 'fastify';

/**
 * Whether a browser says that a form stands on another site. Only the page's address lets anyone act, and no other site knows it;
 * it is refused all the same.
 */
export function isForeign(request: FastifyRequest): boolean {
  const site = request.headers['sec-fetch-site'];
  return site !== undefined && site !== 'same-origin';
}
