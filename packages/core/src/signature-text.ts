import { jakartaDay } from './calendar.ts';

/** What a request signature covers, with the hash of its normalized body in the body's place; `path` has the query string. */
export type HashedRequest = { method: string; path: string; accessToken: string; bodyHash: string; timestamp: string };

/**
 * METHOD:ENDPOINT:ACCESS_TOKEN:hashed_body:TIMESTAMP (merchant-api.md, request signature). These texts need no cryptography of
 * Node's, so browsers sign by the same rule.
 */
export function requestText(request: HashedRequest): string {
  return `${request.method.toUpperCase()}:${request.path}:${request.accessToken}:${request.bodyHash}:${request.timestamp}`;
}

/** What the v1.1 token endpoint's signature covers, on the Jakarta day of `nowMs` (merchant-api.md, access token signature). */
export function tokenText(clientId: string, clientSecret: string, nowMs: number): string {
  return `${clientId}_${clientSecret}_${jakartaDay(nowMs)}`;
}
