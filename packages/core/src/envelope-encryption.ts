import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** Key-encryption keys by id: the first encrypts, all of them decrypt, so that keys rotate with overlap (architecture §8). */
export type KeyRing = { currentKid: string; keys: ReadonlyMap<string, Uint8Array> };

/** An AES-256-GCM ciphertext as it is stored. */
export type Sealed = { kid: string; iv: Uint8Array; data: Uint8Array; tag: Uint8Array };

/** Reads `kid:base64[,kid:base64…]`; undefined unless every key has 32 bytes and every kid is used once. */
export function parseKeyRing(text: string): KeyRing | undefined {
  const keys = new Map<string, Uint8Array>();
  let currentKid: string | undefined;
  for (const part of text.split(',')) {
    const [kid, base64, ...rest] = part.trim().split(':');
    if (!kid || !base64 || rest.length > 0 || keys.has(kid)) return undefined;
    const key = Buffer.from(base64, 'base64');
    if (key.length !== 32) return undefined;
    keys.set(kid, key);
    currentKid ??= kid;
  }
  return currentKid === undefined ? undefined : { currentKid, keys };
}

/** Encrypts under the current key; `associatedData` (whose secret it is) must be given again to open it. */
export function seal(ring: KeyRing, plaintext: Uint8Array, associatedData: string): Sealed {
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', keyOf(ring, ring.currentKid), iv);
  cipher.setAAD(Buffer.from(associatedData));
  const data = Buffer.concat([cipher.update(plaintext), cipher.final()]);
  return { kid: ring.currentKid, iv, data, tag: cipher.getAuthTag() };
}

/** Decrypts; throws when the key is unknown, or anything, the associated data included, was changed. */
export function unseal(ring: KeyRing, sealed: Sealed, associatedData: string): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', keyOf(ring, sealed.kid), sealed.iv);
  decipher.setAAD(Buffer.from(associatedData));
  decipher.setAuthTag(sealed.tag);
  return Buffer.concat([decipher.update(sealed.data), decipher.final()]);
}

function keyOf(ring: KeyRing, kid: string): Uint8Array {
  const key = ring.keys.get(kid);
  if (key === undefined) throw new Error(`no key-encryption key with id ${kid}`);
  return key;
}
