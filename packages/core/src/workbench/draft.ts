import { createHash, createHmac } from 'node:crypto';

/** All that a signature is made of: the parts of the string to sign, how they are joined, and what is done with it. */
export type Draft = { parts: readonly string[]; separator: string; key: Buffer; digest: Digest };

/** How a signature's bytes come from key and text. */
export type Digest = { name: string; bytes: number; of: (key: Buffer, text: string) => Buffer };

export const HMAC_SHA512 = hmac('sha512', 64);

export function hmac(name: string, bytes: number): Digest {
  return { name: `HMAC-${name}`, bytes, of: (key, text) => createHmac(name, key).update(text).digest() };
}

/** What is sometimes taken for an HMAC-SHA512, of the same length. */
export const PLAIN_SHA512: readonly Digest[] = [
  (_key: Buffer, text: string) => [text],
  (key: Buffer, text: string) => [text, key],
  (key: Buffer, text: string) => [key, text],
].map((order) => ({
  name: 'SHA-512',
  bytes: 64,
  of: (key, text) =>
    order(key, text)
      .reduce((hash, piece) => hash.update(piece), createHash('sha512'))
      .digest(),
}));

export const SWAPPED: Digest = {
  name: 'HMAC-SHA512, swapped',
  bytes: 64,
  of: (key, text) => createHmac('sha512', text).update(key).digest(),
};

export function textOf({ parts, separator }: Draft): string {
  return parts.join(separator);
}

export function signatureOf(draft: Draft): Buffer {
  return draft.digest.of(draft.key, textOf(draft));
}

/** The same draft with another part. */
export function withPart(draft: Draft, index: number, text: string): Draft {
  return { ...draft, parts: draft.parts.map((part, i) => (i === index ? text : part)) };
}
