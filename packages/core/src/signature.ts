import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import { canonicalJson, type Json } from './canonical-json.ts';
import { type HashedRequest, requestText, tokenText } from './signature-text.ts';

/** How far X-Timestamp may be from the server's clock, either side (contract §3). */
export const SIGNATURE_WINDOW_SECONDS = 300;

const HEX_SHA512 = /^[0-9a-f]{128}$/;

/** What a request signature covers. `path` has the query string; `body` is undefined where the request has none. */
export type SignedRequest = Omit<HashedRequest, 'bodyHash'> & { body: Json | undefined };

/** SHA-256 of the normalized JSON, lowercase hex; of the empty string where there is no body (contract §3). */
export function bodyHash(body: Json | undefined): string {
  return hashOfCanonical(body === undefined ? '' : canonicalJson(body));
}

/** The same for a body whose normalized JSON is at hand, as text or as its bytes in UTF-8. */
export function hashOfCanonical(json: string | Uint8Array): string {
  return hash('sha256', json, 'hex');
}

/** METHOD:ENDPOINT:ACCESS_TOKEN:hashed_body:TIMESTAMP (merchant-api.md, request signature). */
export function stringToSign(request: SignedRequest): string {
  return requestText({ ...request, bodyHash: bodyHash(request.body) });
}

/** HMAC-SHA512 of the string to sign, keyed with the client secret, lowercase hex. For requests and for webhooks. */
export function signRequest(request: SignedRequest, clientSecret: string): string {
  return hmacSha512Hex(clientSecret, stringToSign(request));
}

/** The same for a request whose body has been hashed already, as `bodyHash` does. */
export function signHashedRequest(request: HashedRequest, clientSecret: string): string {
  return hmacSha512Hex(clientSecret, requestText(request));
}

/** Whether the signature is that of the request; the comparison takes the same time for every difference. */
export function verifyRequestSignature(request: SignedRequest, clientSecret: string, signature: string): boolean {
  return verifyHashedRequestSignature({ ...request, bodyHash: bodyHash(request.body) }, clientSecret, signature);
}

/** The same for a request whose body has been hashed already, as `bodyHash` does. */
export function verifyHashedRequestSignature(request: HashedRequest, clientSecret: string, signature: string): boolean {
  if (!HEX_SHA512.test(signature)) return false;
  const expected = createHmac('sha512', clientSecret).update(requestText(request)).digest();
  return timingSafeEqual(expected, Buffer.from(signature, 'hex'));
}

/** Whether X-Timestamp is Unix seconds within the window around `nowMs` of real time. */
export function isTimestampInWindow(timestamp: string, nowMs: number): boolean {
  if (!/^[0-9]{1,15}$/.test(timestamp)) return false;
  return Math.abs(Number(timestamp) - nowMs / 1000) <= SIGNATURE_WINDOW_SECONDS;
}

/** X-Signature of the v1.1 token endpoint for the Jakarta day of `nowMs` (merchant-api.md, access token signature). */
export function tokenSignature(clientId: string, clientSecret: string, nowMs: number): string {
  return hmacSha512Hex(clientSecret, tokenText(clientId, clientSecret, nowMs));
}

/** Compares two texts without telling by the time taken where they differ; whether they have the same length is no secret. */
export function equalsInConstantTime(a: string, b: string): boolean {
  const bytesA = Buffer.from(a);
  const bytesB = Buffer.from(b);
  return bytesA.byteLength === bytesB.byteLength && timingSafeEqual(bytesA, bytesB);
}

function hmacSha512Hex(key: string, text: string): string {
  return createHmac('sha512', key).update(text).digest('hex');
}
