import { text } from '../http/fields.ts';

/** contract §2: unique per account over all money-out products. */
export const referenceNumber = text
  .regex(/^[\x20-\x7e]{1,64}$/, 'must be 1 to 64 printable ASCII characters')
  .meta({ description: "The merchant's reference, unique per account over all money-out products." });

/** A three-digit national code or an eight-character SWIFT code; whether the bank exists is the product's to say. */
export const bankCode = text
  .regex(/^(?:[0-9]{3}|[A-Z]{6}[A-Z0-9]{2})$/, 'must be a three-digit national code or an eight-character SWIFT code')
  .meta({
    description: 'A bank by its three-digit national code or its eight-character SWIFT code.',
    examples: ['014', 'CENAIDJA'],
  });

export const bankAccountNumber = text
  .regex(/^[0-9]{6,30}$/, 'must be 6 to 30 digits')
  .meta({ description: 'The account number at the bank, 6 to 30 digits.', examples: ['1234567890'] });
