import { randomFillSync } from 'node:crypto';
import { signHashedRequest } from '@gerbang/core';
import type { Delivery } from './document.ts';
import type { WebhookRequest } from './sender.ts';

const USER_AGENT = 'Gerbang/1.0';
const TOKEN_BYTES = 32;
/** Tokens are cut from random bytes that are made many at a time; none is cut twice. */
const random = Buffer.alloc(4_096);
let usedBytes = random.byteLength;

/**
 * A webhook as it goes out (merchant-api.md, Events; contract §10): the headers in full, with a bearer token made for this attempt alone.
 * `realMs` is real time, whatever the business clock says; `clientSecret` is undefined where the event is not signed.
 */
export function webhookRequest(
  delivery: Delivery,
  signing: { partnerId: string; clientSecret: string | undefined },
  realMs: number,
): WebhookRequest {
  return {
    merchantId: delivery.merchantId,
    url: delivery.url,
    body: delivery.body,
    headers: {
      'Content-Type': 'application/json',
      'User-Agent': USER_AGENT,
      Accept: 'application/json',
      'X-PARTNER-ID': signing.partnerId,
      'X-Event-Id': delivery.id,
      ...(signing.clientSecret !== undefined && signatureHeaders(delivery, signing.clientSecret, realMs)),
    },
  };
}

function signatureHeaders(delivery: Delivery, clientSecret: string, realMs: number): Record<string, string> {
  const accessToken = newToken();
  const timestamp = String(Math.floor(realMs / 1_000));
  const { pathname, search } = new URL(delivery.url);
  const { bodyHash } = delivery;
  const signature = signHashedRequest(
    { method: 'POST', path: `${pathname}${search}`, accessToken, bodyHash, timestamp },
    clientSecret,
  );
  return { 'X-Signature': signature, 'X-Timestamp': timestamp, Authorization: `Bearer ${accessToken}` };
}

function newToken(): string {
  if (usedBytes + TOKEN_BYTES > random.byteLength) {
    randomFillSync(random);
    usedBytes = 0;
  }
  usedBytes += TOKEN_BYTES;
  return random.toString('base64url', usedBytes - TOKEN_BYTES, usedBytes);
}
