/**
 * A ciphertext as it is stored. `kid` is `v2:<adapter>:<kid>`, and `wrapped` the data key under that key. Without `wrapped` it is
 * of the time before data keys: it lies right under the key `kid`.
 */
export type Envelope = { kid: string; wrapped?: Uint8Array; iv: Uint8Array; data: Uint8Array; tag: Uint8Array };

/** An envelope as a document of the database; base64. */
export type SealedDocument = { kid: string; wrapped?: string; iv: string; data: string; tag: string };

const VERSION = 'v2';

/** The `kid` of an envelope. */
export function kidOf(adapter: string, kid: string): string {
  return `${VERSION}:${adapter}:${kid}`;
}

/** The parts of an envelope's `kid`; undefined for one of before data keys. */
export function partsOfKid(kid: string): { adapter: string; kid: string } | undefined {
  const [version, adapter, own, ...rest] = kid.split(':');
  return version === VERSION && adapter && own && rest.length === 0 ? { adapter, kid: own } : undefined;
}

/** `v2:<adapter>:<kid>:<wrapped>:<iv>:<data>:<tag>`, or `<kid>:<iv>:<data>:<tag>`; throws when it is no such text. */
export function parseSealed(text: string): SealedDocument {
  const parts = text.split(':');
  const isEnvelope = parts[0] === VERSION && parts.length === 7;
  const kid = parts.slice(0, isEnvelope ? 3 : 1).join(':');
  const [wrapped, iv, data, tag, ...rest] = isEnvelope ? parts.slice(3) : [undefined, ...parts.slice(1)];
  // An empty text has no data, and everything else has to be there.
  if (!kid || wrapped === '' || !iv || data === undefined || !tag || rest.length > 0) throw new Error('this is nothing sealed');
  return { kid, ...(wrapped !== undefined && { wrapped }), iv, data, tag };
}

export function formatSealed({ kid, wrapped, iv, data, tag }: SealedDocument): string {
  return [kid, ...(wrapped === undefined ? [] : [wrapped]), iv, data, tag].join(':');
}

export function toEnvelope({ kid, wrapped, iv, data, tag }: SealedDocument): Envelope {
  return { kid, ...(wrapped !== undefined && { wrapped: bytes(wrapped) }), iv: bytes(iv), data: bytes(data), tag: bytes(tag) };
}

export function fromEnvelope({ kid, wrapped, iv, data, tag }: Envelope): SealedDocument {
  return { kid, ...(wrapped && { wrapped: base64(wrapped) }), iv: base64(iv), data: base64(data), tag: base64(tag) };
}

function base64(content: Uint8Array): string {
  return Buffer.from(content).toString('base64');
}

function bytes(text: string): Uint8Array {
  return Buffer.from(text, 'base64');
}
