import { type KeyRing, type Sealed, seal, unseal } from './envelope-encryption.ts';

/**
 * What a stored secret is for and whose it is. Both go into the ciphertext as associated data, so that one that is copied to
 * another owner, or to another use, opens nothing.
 */
export type Secret = { purpose: string; owner: string };

/** A ciphertext as the database holds it; base64, and the key's id by itself, so that what lies under an old key can be found. */
export type SealedDocument = { kid: string; iv: string; data: string; tag: string };

/** Seals a text under the current key, to what it is for and whose it is. */
export function sealFor(ring: KeyRing, secret: Secret, text: string): Sealed {
  return seal(ring, Buffer.from(text), associatedData(secret));
}

/** The text that was sealed; throws when its key is missing, or when anything of it, or of `secret`, is another. */
export function openFor(ring: KeyRing, secret: Secret, sealed: Sealed): string {
  return unseal(ring, sealed, associatedData(secret)).toString();
}

/** The same as one text, `kid:iv:data:tag`, for places that take texts only. */
export function sealText(ring: KeyRing, secret: Secret, text: string): string {
  const { kid, iv, data, tag } = toSealedDocument(sealFor(ring, secret, text));
  return [kid, iv, data, tag].join(':');
}

/** The text that `sealText` has sealed; throws as `openFor` does, and when it is no such text. */
export function openText(ring: KeyRing, secret: Secret, text: string): string {
  const [kid, iv, data, tag, ...rest] = text.split(':');
  if (kid === undefined || iv === undefined || data === undefined || tag === undefined || rest.length > 0)
    throw new Error(`this is no sealed ${secret.purpose}`);
  return openFor(ring, secret, fromSealedDocument({ kid, iv, data, tag }));
}

export function toSealedDocument(sealed: Sealed): SealedDocument {
  return { kid: sealed.kid, iv: base64(sealed.iv), data: base64(sealed.data), tag: base64(sealed.tag) };
}

export function fromSealedDocument({ kid, iv, data, tag }: SealedDocument): Sealed {
  return { kid, iv: Buffer.from(iv, 'base64'), data: Buffer.from(data, 'base64'), tag: Buffer.from(tag, 'base64') };
}

function associatedData({ purpose, owner }: Secret): string {
  return `${purpose}:${owner}`;
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}
