import { VA_BANK_CODES } from '@gerbang/core';
import { z } from 'zod';
import type { DetailFields } from '../transfer/document.ts';
import type { CardlessDetails } from './content.ts';

const schema = z.object({ bank_code: z.enum(VA_BANK_CODES), phone_number: z.string(), expires_at: z.date() });

/** The withdrawal's own fields of a transfer's document. */
export function toDetailFields({ bankCode, phoneNumber, expiresAtMs }: CardlessDetails): DetailFields {
  return { bank_code: bankCode, phone_number: phoneNumber, expires_at: new Date(expiresAtMs) };
}

/** The details in a document or in its own fields; throws when there are none. */
export function readDetails(document: object): CardlessDetails {
  const fields = schema.parse(document);
  return { bankCode: fields.bank_code, phoneNumber: fields.phone_number, expiresAtMs: fields.expires_at.getTime() };
}
