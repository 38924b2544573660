import { canonicalJson, hashOfCanonical, type Json, type KeyRing, openToken } from '@gerbang/core';
import type { Delivery } from './delivery.ts';

/**
 * The delivery as it goes out: where it has a sealed token, that token is `data.token` of the body (contract §9). The token is
 * stored in no other form than sealed. Throws where no key is configured, or none that opens it.
 */
export function withToken(delivery: Delivery, keyRing: KeyRing | undefined): Delivery {
  const { sealedToken } = delivery;
  if (sealedToken === undefined) return delivery;
  if (keyRing === undefined) throw new Error('GERBANG_KEKS is not set');
  const token = openToken(keyRing, sealedToken.referenceNumber, sealedToken.text);
  const content: Json = JSON.parse(delivery.body);
  const body = canonicalJson({ ...objectOf(content), data: { ...objectOf(objectOf(content).data), token } });
  return { ...delivery, body, bodyHash: hashOfCanonical(body) };
}

function objectOf(json: Json | undefined): { [key: string]: Json } {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) throw new Error('the body of a token has no data');
  return json;
}
