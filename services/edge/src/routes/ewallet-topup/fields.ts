import { EWALLET_CHANNELS } from '@gerbang/core';
import { oneOf, text } from '../../http/fields.ts';

export const channel = oneOf(EWALLET_CHANNELS).meta({ description: 'The e-wallet.' });

/** Whether it is an Indonesian mobile number is the product's to say. */
export const phoneNumber = text.regex(/^\+?[0-9 .()-]{9,25}$/, 'must be an Indonesian mobile number').meta({
  description:
    'An Indonesian mobile number, national or with the country code 62; blanks, dashes, dots and parentheses do not matter.',
  examples: ['081234567890', '+62 812-3456-7890'],
});
