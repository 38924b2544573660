import { RefusalError, refuseField } from '@gerbang/core';

/** After the separators: national (08…) or with the country code (628…, +628…), then 7 to 11 digits of the number. */
const MOBILE = /^(?:0|\+?62)(8[0-9]{7,11})$/;

/**
 * An Indonesian mobile number in its one form, which is hashed and sent to the rail: country code and number, digits only
 * (6281234567890). Blanks, dashes, dots and parentheses do not matter. Refusals: validation (phone_number).
 */
export function normalizePhoneNumber(text: string): string {
  const found = MOBILE.exec(text.replaceAll(/[ .()-]/g, ''));
  if (found === null) throw new RefusalError(refuseField('phone_number', 'is not an Indonesian mobile number'));
  return `62${found[1]}`;
}
