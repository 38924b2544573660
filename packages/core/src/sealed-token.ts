import type { KeyRing } from './envelope-encryption.ts';
import { openText, type Secret, sealText } from './sealed.ts';

/** A sealed token with whose it is. */
export type SealedToken = { referenceNumber: string; text: string };

/** A prepaid token as text, sealed to its purchase: who has the digits can use them, so they are stored and published sealed only. */
export function sealToken(ring: KeyRing, referenceNumber: string, token: string): string {
  return sealText(ring, prepaidToken(referenceNumber), token);
}

/** The token of a sealed text; throws when its key is missing, or when anything of it was changed. */
export function openToken(ring: KeyRing, referenceNumber: string, text: string): string {
  return openText(ring, prepaidToken(referenceNumber), text);
}

function prepaidToken(referenceNumber: string): Secret {
  return { purpose: 'prepaid-token', owner: referenceNumber };
}
