import { z } from 'zod';

const described = z.object({ description: z.string() });

/** The merchant's words, which many rails repeat in their remarks. */
export function descriptionIn(document: object): string {
  return described.parse(document).description;
}

/** A phone number with the country code, and as it is dialled at home. */
export function phoneKeys(phoneNumber: string): string[] {
  const digits = phoneNumber.replaceAll(/\D/g, '');
  const national = digits.replace(/^(62|0)/, '');
  return [digits, `0${national}`, `62${national}`, national];
}
