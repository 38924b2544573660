import { type KeyRing, type Sealed, seal, unseal } from '@gerbang/core';

/**
 * A withdrawal code under a key-encryption key, as text: the code is enough to draw the cash, so it is stored in no other form.
 * It is sealed to its owner, a withdrawal, so that a ciphertext copied to another one opens nothing.
 */
export function sealCode(ring: KeyRing, owner: string, code: string): string {
  const { kid, iv, data, tag } = seal(ring, Buffer.from(code), associatedData(owner));
  return [kid, ...[iv, data, tag].map((bytes) => Buffer.from(bytes).toString('base64'))].join(':');
}

/** The code of a sealed text; throws when its key is missing, or when anything of it was changed. */
export function openCode(ring: KeyRing, owner: string, text: string): string {
  return unseal(ring, parse(text), associatedData(owner)).toString();
}

function parse(text: string): Sealed {
  const [kid, iv, data, tag, ...rest] = text.split(':');
  if (kid === undefined || iv === undefined || data === undefined || tag === undefined || rest.length > 0)
    throw new Error('this is no sealed withdrawal code');
  return { kid, iv: Buffer.from(iv, 'base64'), data: Buffer.from(data, 'base64'), tag: Buffer.from(tag, 'base64') };
}

function associatedData(owner: string): string {
  return `withdrawal-code:${owner}`;
}
