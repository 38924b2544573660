import { createHash } from 'node:crypto';

/** SNAP's originalExternalId has at most 32 characters where a payment is inquired. */
const EXTERNAL_ID_LENGTH = 32;

/**
 * The id of a charge, and what the bank knows it by: the same whenever it is made again for an account and a reference. So the
 * bank recognizes a charge that a merchant repeats after a restore of our data, and does not take the money again.
 */
export function chargeId(accountId: string, referenceNumber: string): string {
  return uuidOf(`direct-debit-charge:${accountId}:${referenceNumber}`);
}

/** What the bank knows a refund by, the same whenever it is made again for a charge and a reference. */
export function refundReference(chargeOf: string, referenceNumber: string): string {
  return uuidOf(`direct-debit-refund:${chargeOf}:${referenceNumber}`);
}

/**
 * SNAP's X-EXTERNAL-ID: 32 digits, the same whenever they are made again. What the bank has refused to look at, so that it is sent
 * in another form, takes another one.
 */
export function externalIdOf(partnerReference: string, form: 'plain' | 'with-otp' = 'plain'): string {
  const number = BigInt(`0x${hashed(`${form}:${partnerReference}`)}`) % 10n ** BigInt(EXTERNAL_ID_LENGTH);
  return number.toString().padStart(EXTERNAL_ID_LENGTH, '0');
}

/** A UUID of version 8 (RFC 9562): its bits are a hash. */
function uuidOf(text: string): string {
  const hex = hashed(text);
  const variant = ((Number.parseInt(hex.slice(16, 17), 16) & 0x3) | 0x8).toString(16);
  const parts = [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `${variant}${hex.slice(17, 20)}`, hex.slice(20, 32)];
  return parts.join('-');
}

function hashed(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
