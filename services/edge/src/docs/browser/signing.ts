import { canonicalJson } from '@gerbang/core/canonical-json';
import { requestText, tokenText } from '@gerbang/core/signature-text';
import { hmac } from '@noble/hashes/hmac.js';
import { sha256, sha512 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

// crypto.subtle is missing on plain http unless the host is this machine; these work everywhere.

/** Who signs. */
export type Credentials = { partnerId: string; clientId: string; clientSecret: string };

/** A request as it will be sent: `path` has the query, `body` is empty where there is none. */
export type Outgoing = { method: string; path: string; body: string };

/** The headers that authenticate a request for an access token (merchant-api.md, access token signature). */
export function tokenHeaders({ partnerId, clientId, clientSecret }: Credentials, nowMs: number): Record<string, string> {
  return {
    'X-PARTNER-ID': partnerId,
    'X-CLIENT-ID': clientId,
    'X-Signature': hmacSha512Hex(clientSecret, tokenText(clientId, clientSecret, nowMs)),
  };
}

/**
 * X-Timestamp and X-Signature of a request (merchant-api.md, request signature). A body that is no JSON is signed as an empty
 * one: the gateway refuses it before it looks at the signature, and says why.
 */
export function signatureHeaders(
  request: Outgoing,
  accessToken: string,
  clientSecret: string,
  nowMs: number,
): Record<string, string> {
  const timestamp = String(Math.floor(nowMs / 1_000));
  const { method, path, body } = request;
  const bodyHash = bytesToHex(sha256(utf8ToBytes(normalized(body))));
  const text = requestText({ method, path, accessToken, bodyHash, timestamp });
  return { 'X-Timestamp': timestamp, 'X-Signature': hmacSha512Hex(clientSecret, text) };
}

function normalized(body: string): string {
  if (body === '') return '';
  try {
    return canonicalJson(JSON.parse(body));
  } catch {
    return '';
  }
}

function hmacSha512Hex(key: string, text: string): string {
  return bytesToHex(hmac(sha512, utf8ToBytes(key), utf8ToBytes(text)));
}
