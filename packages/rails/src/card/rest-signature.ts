import { createHash, createHmac } from 'node:crypto';

/** What the acquirer's signature covers. `path` has no host, and a query where the request has one. */
export type SignedCall = { method: string; path: string; timestamp: string; body: string };

/** HMAC-SHA256 over method, path, timestamp and the body's SHA-256, each on its line; lowercase hex. */
export function signAcquirerCall(secret: string, { method, path, timestamp, body }: SignedCall): string {
  const bodyHash = createHash('sha256').update(body).digest('hex');
  return createHmac('sha256', secret).update([method, path, timestamp, bodyHash].join('\n')).digest('hex');
}
