import { EWALLET_CHANNELS } from '@gerbang/core';
import { z } from 'zod';
import type { DetailFields } from '../transfer/document.ts';
import type { EwalletTopupDetails } from './content.ts';

const schema = z.object({ channel: z.enum(EWALLET_CHANNELS), phone_number: z.string(), rail_phone_number: z.string() });

/** The top-up's own fields of a transfer's document. */
export function toDetailFields({ channel, phoneNumber, railPhoneNumber }: EwalletTopupDetails): DetailFields {
  return { channel, phone_number: phoneNumber, rail_phone_number: railPhoneNumber };
}

/** The details in a document or in its own fields; throws when there are none. */
export function readDetails(document: object): EwalletTopupDetails {
  const { channel, phone_number: phoneNumber, rail_phone_number: railPhoneNumber } = schema.parse(document);
  return { channel, phoneNumber, railPhoneNumber };
}
