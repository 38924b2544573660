import { createHash, createHmac, type KeyLike, sign, timingSafeEqual, verify } from 'node:crypto';

/** base64 of SHA256withRSA over `<client key>|<timestamp>`: X-SIGNATURE of SNAP's token endpoint. */
export function signTokenRequest(clientKey: string, timestamp: string, privateKey: KeyLike): string {
  return sign('RSA-SHA256', Buffer.from(`${clientKey}|${timestamp}`), privateKey).toString('base64');
}

/** Whether the signature of a token request was made with the key's private half. */
export function verifyTokenRequest(clientKey: string, timestamp: string, signature: string, publicKey: KeyLike): boolean {
  return verify('RSA-SHA256', Buffer.from(`${clientKey}|${timestamp}`), publicKey, Buffer.from(signature, 'base64'));
}

/**
 * What the signature of a transaction covers where no access token is involved (SNAP, asymmetric signature): `path` as it is
 * requested, `body` as it is sent.
 */
export type SnapMessage = { method: string; path: string; body: string; timestamp: string };

/** `METHOD:path:lowercase hex SHA-256 of the minified body:timestamp` (SNAP, asymmetric signature). */
export function messageStringToSign({ method, path, body, timestamp }: SnapMessage): string {
  return `${method}:${path}:${minifiedHash(body)}:${timestamp}`;
}

/** base64 of SHA256withRSA over the string to sign: X-SIGNATURE of a transaction that carries no access token. */
export function signMessage(message: SnapMessage, privateKey: KeyLike): string {
  return sign('RSA-SHA256', Buffer.from(messageStringToSign(message)), privateKey).toString('base64');
}

/** Whether the signature was made with the key's private half. */
export function verifyMessage(message: SnapMessage, signature: string, publicKey: KeyLike): boolean {
  return verify('RSA-SHA256', Buffer.from(messageStringToSign(message)), publicKey, Buffer.from(signature, 'base64'));
}

/** What a transaction's symmetric signature covers: `path` as it is requested, `body` as it is sent. */
export type SnapTransaction = { method: string; path: string; accessToken: string; body: string; timestamp: string };

/**
 * JSON text without the white space between its tokens. Keys keep their order, numbers and escapes their spelling: SNAP signs the
 * minified body, not the key-sorted one of Gerbang's own merchants. Text that is no JSON comes out as some other text; signing it
 * says nothing of its validity.
 */
export function minifyJson(text: string): string {
  // A string's end is optional, so that the match never fails and text without an end costs no backtracking.
  return text.replace(/("[^"\\]*(?:\\.?[^"\\]*)*"?)|[ \t\r\n]+/gs, '$1');
}

/** `METHOD:path:accessToken:lowercase hex SHA-256 of the minified body:timestamp` (SNAP, symmetric signature). */
export function transactionStringToSign(transaction: SnapTransaction): string {
  const { method, path, accessToken, body, timestamp } = transaction;
  return `${method}:${path}:${accessToken}:${minifiedHash(body)}:${timestamp}`;
}

/** base64 of HMAC-SHA512 over the string to sign, keyed with the client secret: X-SIGNATURE of SNAP's transactions. */
export function signTransaction(transaction: SnapTransaction, clientSecret: string): string {
  return createHmac('sha512', clientSecret).update(transactionStringToSign(transaction)).digest('base64');
}

/** Whether the signature is the transaction's; takes the same time for every difference. */
export function verifyTransaction(transaction: SnapTransaction, clientSecret: string, signature: string): boolean {
  const expected = Buffer.from(signTransaction(transaction, clientSecret));
  const given = Buffer.from(signature);
  return given.length === expected.length && timingSafeEqual(given, expected);
}

function minifiedHash(body: string): string {
  return createHash('sha256').update(minifyJson(body)).digest('hex');
}
