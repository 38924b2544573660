import { createHash, createHmac, createSign, createVerify, timingSafeEqual } from 'node:crypto';

/** base64 of SHA256withRSA over `<client key>|<timestamp>`: X-SIGNATURE of SNAP's token endpoint. */
export function signTokenRequest(clientKey: string, timestamp: string, privateKeyPem: string): string {
  return createSign('RSA-SHA256').update(`${clientKey}|${timestamp}`).sign(privateKeyPem, 'base64');
}

/** Whether the signature of a token request was made with the key's private half. */
export function verifyTokenRequest(clientKey: string, timestamp: string, signature: string, publicKeyPem: string): boolean {
  return createVerify('RSA-SHA256').update(`${clientKey}|${timestamp}`).verify(publicKeyPem, signature, 'base64');
}

/** What a transaction's signature covers; `body` is the minified text as it is sent, its keys in their own order. */
export type SnapTransaction = { method: string; path: string; accessToken: string; body: string; timestamp: string };

/** base64 of HMAC-SHA512 over `METHOD:path:accessToken:sha256(body):timestamp`: X-SIGNATURE of SNAP's transactions. */
export function signTransaction(transaction: SnapTransaction, clientSecret: string): string {
  const { method, path, accessToken, body, timestamp } = transaction;
  const hash = createHash('sha256').update(body).digest('hex');
  return createHmac('sha512', clientSecret).update(`${method}:${path}:${accessToken}:${hash}:${timestamp}`).digest('base64');
}

/** Whether the signature is the transaction's; takes the same time wherever they differ. */
export function verifyTransaction(transaction: SnapTransaction, clientSecret: string, signature: string): boolean {
  const expected = Buffer.from(signTransaction(transaction, clientSecret));
  const given = Buffer.from(signature);
  return given.length === expected.length && timingSafeEqual(given, expected);
}
