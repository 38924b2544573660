import { createHash } from 'node:crypto';

/** Fits every SNAP service and the providers' own limits, of which DANA's QRIS is the shortest; more than 128 bits in base 36. */
const PARTNER_REFERENCE_LENGTH = 25;
/** SNAP's originalExternalId has at most 32 characters where a transfer is inquired. */
const EXTERNAL_ID_LENGTH = 32;

/**
 * What the rail knows an order by: 25 digits and capital letters, the same whenever it is made again for an account and a reference
 * number. So a rail recognizes an order that a merchant repeats after a restore of our data, and does not pay it again.
 */
export function partnerReferenceOf(accountId: string, referenceNumber: string): string {
  const number = hashed(`${accountId}:${referenceNumber}`) % 36n ** BigInt(PARTNER_REFERENCE_LENGTH);
  return number.toString(36).padStart(PARTNER_REFERENCE_LENGTH, '0').toUpperCase();
}

/** SNAP's X-EXTERNAL-ID of an order: 32 digits, the same whenever they are made again for a partner reference. */
export function externalIdOf(partnerReference: string): string {
  return (hashed(partnerReference) % 10n ** BigInt(EXTERNAL_ID_LENGTH)).toString().padStart(EXTERNAL_ID_LENGTH, '0');
}

/** What the rail knows the n-th refund of an order by, in the same form; the same whenever it is made again. */
export function refundReferenceOf(partnerReference: string, number: number): string {
  return partnerReferenceOf(partnerReference, `refund:${number}`);
}

function hashed(text: string): bigint {
  return BigInt(`0x${createHash('sha256').update(text).digest('hex')}`);
}
