import { type KeyRing, type Sealed, seal, unseal } from './envelope-encryption.ts';

/** A sealed token with whose it is. */
export type SealedToken = { referenceNumber: string; text: string };

/**
 * A prepaid token under a key-encryption key, as text. Who has the digits can use them, so they are stored and published in no
 * other form. A token is sealed to its purchase, so that a ciphertext copied to another one opens nothing.
 */
export function sealToken(ring: KeyRing, referenceNumber: string, token: string): string {
  const { kid, iv, data, tag } = seal(ring, Buffer.from(token), associatedData(referenceNumber));
  return [kid, ...[iv, data, tag].map((bytes) => Buffer.from(bytes).toString('base64'))].join(':');
}

/** The token of a sealed text; throws when its key is missing, or when anything of it was changed. */
export function openToken(ring: KeyRing, referenceNumber: string, text: string): string {
  return unseal(ring, parse(text), associatedData(referenceNumber)).toString();
}

function parse(text: string): Sealed {
  const [kid, iv, data, tag, ...rest] = text.split(':');
  if (kid === undefined || iv === undefined || data === undefined || tag === undefined || rest.length > 0)
    throw new Error('this is no sealed token');
  return { kid, iv: Buffer.from(iv, 'base64'), data: Buffer.from(data, 'base64'), tag: Buffer.from(tag, 'base64') };
}

function associatedData(referenceNumber: string): string {
  return `prepaid-token:${referenceNumber}`;
}
