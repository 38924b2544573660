import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

export const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** The parts of an AES-256-GCM ciphertext. */
export type Ciphertext = { iv: Uint8Array; data: Uint8Array; tag: Uint8Array };

/** Encrypts under a random IV; `associatedData` must be given again to decrypt. */
export function encrypt(key: Uint8Array, plain: Uint8Array, associatedData: string): Ciphertext {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, iv);
  cipher.setAAD(Buffer.from(associatedData));
  const data = Buffer.concat([cipher.update(plain), cipher.final()]);
  return { iv, data, tag: cipher.getAuthTag() };
}

/** Throws when anything, the associated data included, is not as it was encrypted, or the tag is shorter than 16 bytes. */
export function decrypt(key: Uint8Array, { iv, data, tag }: Ciphertext, associatedData: string): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', key, iv, { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(associatedData));
  decipher.setAuthTag(tag);
  return Buffer.concat([decipher.update(data), decipher.final()]);
}

/** A data key under a key-encryption key, as one piece: IV, tag, ciphertext. */
export function wrapUnder(key: Uint8Array, dataKey: Uint8Array, associatedData: string): Buffer {
  const { iv, tag, data } = encrypt(key, dataKey, associatedData);
  return Buffer.concat([iv, tag, data]);
}

/** Throws as `decrypt` does. */
export function unwrapUnder(key: Uint8Array, wrapped: Uint8Array, associatedData: string): Buffer {
  const [iv, tag] = [wrapped.subarray(0, IV_BYTES), wrapped.subarray(IV_BYTES, IV_BYTES + TAG_BYTES)];
  return decrypt(key, { iv, tag, data: wrapped.subarray(IV_BYTES + TAG_BYTES) }, associatedData);
}
