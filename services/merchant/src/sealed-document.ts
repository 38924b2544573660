import type { Sealed } from '@gerbang/core';

/** A ciphertext as the database holds it; base64, and the key's id by itself, so that what lies under an old key can be found. */
export type SealedDocument = { kid: string; iv: string; data: string; tag: string };

export function toSealedDocument(sealed: Sealed): SealedDocument {
  return { kid: sealed.kid, iv: base64(sealed.iv), data: base64(sealed.data), tag: base64(sealed.tag) };
}

export function fromSealedDocument(document: SealedDocument): Sealed {
  const { kid, iv, data, tag } = document;
  return { kid, iv: Buffer.from(iv, 'base64'), data: Buffer.from(data, 'base64'), tag: Buffer.from(tag, 'base64') };
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}
