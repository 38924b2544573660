import { randomBytes } from 'node:crypto';

/** A readable prefix and 16 random characters that are hard to confuse when read aloud. */
function randomName(prefix: string): string {
  const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
  let name = prefix;
  for (const byte of randomBytes(16)) name += alphabet.charAt(byte & 31);
  return name;
}

/** A client id, for instance "ck_7h2m…": the public half of a credential. */
export function newClientId(): string {
  return randomName('ck_');
}

/** A partner id, for instance "pk_0c9d…": what a merchant sends as X-PARTNER-ID. */
export function newPartnerId(): string {
  return randomName('pk_');
}
