import { VA_BANK_CODES } from '@gerbang/core';
import { idInPath, oneOf, text } from '../../http/fields.ts';

/** The direct-debit service answers after 3 s at the most, when the bank has not; the rest is for the ledger and the road. */
export const TIMEOUT_MS = 10_000;

export const shortBankCode = oneOf(VA_BANK_CODES).meta({ description: 'The short name of the bank.' });

/** contract §2: unique per account over its charges; of a refund, for its charge. */
export const ownReference = (description: string) =>
  text.regex(/^[\x20-\x7e]{1,64}$/, 'must be 1 to 64 printable ASCII characters').meta({ description });

/** What customers type; 4 to 8 characters (merchant-api.md). */
export const otp = text
  .regex(/^[\x21-\x7e]{4,8}$/, 'must have 4 to 8 characters')
  .meta({ description: "The customer's OTP.", examples: ['123456'] });

export const bindingInPath = idInPath('A binding.');
export const transactionInPath = idInPath('A charge.');
