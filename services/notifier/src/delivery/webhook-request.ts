import { randomFillSync } from 'node:crypto';
import { signHashedRequest } from '@gerbang/core';
import type { Delivery } from './delivery.ts';
import type { WebhookRequest } from './sender.ts';

const USER_AGENT = 'Gerbang/1.0';
const TOKEN_BYTES = 32;
/** Random bytes for many tokens at a time. No byte is used twice. */
const random = Buffer.alloc(4_096);
let usedBytes = random.byteLength;

/**
 * A webhook as it goes out (merchant-api.md, Events; contract §10): all its headers, with a bearer token that is only for this
 * attempt. `realMs` is real time, not the business clock; `clientSecret` is undefined where the event is not signed.
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
