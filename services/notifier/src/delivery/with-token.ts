import { canonicalJson, hashOfCanonical, type Json } from '@gerbang/core';
import { type Keys, prepaidToken } from '@gerbang/keys';
import type { Delivery } from './delivery.ts';

/**
 * The delivery as it goes out: where it has a sealed token, that token is `data.token` of the body (contract §9). The token is
 * stored in no other form than sealed. Throws where no key is configured, or none that opens it.
 */
export async function withToken(delivery: Delivery, keys: Pick<Keys<'prepaid-token'>, 'open'> | undefined): Promise<Delivery> {
  const { sealedToken } = delivery;
  if (sealedToken === undefined) return delivery;
  if (keys === undefined) throw new Error('KEYS is not set');
  const token = await keys.open(prepaidToken(sealedToken.referenceNumber), sealedToken.text);
  return bodyWithToken(delivery, token);
}

/** The delivery with an opened token in its body. */
export function bodyWithToken(delivery: Delivery, token: string): Delivery {
  const content: Json = JSON.parse(delivery.body);
  const body = canonicalJson({ ...objectOf(content), data: { ...objectOf(objectOf(content).data), token } });
  return { ...delivery, body, bodyHash: hashOfCanonical(body) };
}

function objectOf(json: Json | undefined): { [key: string]: Json } {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) throw new Error('the body of a token has no data');
  return json;
}
