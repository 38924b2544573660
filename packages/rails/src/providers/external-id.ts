import { createHash } from 'node:crypto';
import type { SnapService } from './provider.ts';

const SNAP_DIGITS_MAX = 36;

/**
 * X-EXTERNAL-ID as the provider wants it, always the same one for the same digits: a request that is sent again, and a question
 * about it, name it alike.
 */
export function externalIdFor({ externalId = { digitsMax: SNAP_DIGITS_MAX } }: SnapService, digits: string): string {
  if (externalId === 'uuid') return uuidOf(digits);
  const { digitsMax } = externalId;
  return digits.length <= digitsMax ? digits : (hashed(digits) % 10n ** BigInt(digitsMax)).toString().padStart(digitsMax, '0');
}

/** A UUID of version 8, made of the text's hash. */
function uuidOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  const variant = ((Number.parseInt(hex.slice(16, 17), 16) & 0x3) | 0x8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

function hashed(text: string): bigint {
  return BigInt(`0x${createHash('sha256').update(text).digest('hex')}`);
}
