import { brandOfCard, cvvDigitsOf, hasCardNumber, isLuhn } from '@gerbang/core';
import { z } from 'zod';
import { idInPath, prose, text } from '../../http/fields.ts';

/** The cards service answers after 3 s at the most, when the acquirer has not; a cancel after 8 s. */
export const TIMEOUT_MS = 12_000;

/** What of a body is the card: no hash of it is kept. */
export const CARD_FIELDS = ['card_number', 'card_expiry', 'card_cvv', 'card_holder_name'] as const;

export const cardInPath = idInPath('A payment by card.');

/** No message of these says what was sent. Whether the card has expired is for the service to say, by business time. */
export const cardFields = {
  card_number: text
    .refine((value) => /^[0-9]{12,19}$/.test(value) && isLuhn(value), 'must be the number of a card, digits only')
    .meta({
      description: 'Luhn-valid, digits only. It is in no answer, log or database.',
      pattern: '^[0-9]{12,19}$',
      examples: ['4411111111111118'],
    }),
  card_expiry: text
    .regex(/^(?:0[1-9]|1[0-2])\/[0-9]{2}$/, 'must be MM/YY')
    .meta({ description: 'MM/YY; to the end of that month.', examples: ['12/39'] }),
  card_cvv: text
    .regex(/^[0-9]{3,4}$/, 'must have 3 or 4 digits')
    .meta({ description: 'As many digits as the brand prints; kept nowhere.', examples: ['123'] }),
  card_holder_name: prose(100).meta({ description: 'As printed on the card.', examples: ['BUDI SANTOSO'] }),
};

/** The security code has as many digits as its brand prints. */
export function checkCvv(card: { card_number: string; card_cvv: string }, context: z.RefinementCtx): void {
  const digits = cvvDigitsOf(brandOfCard(card.card_number));
  if (digits.includes(card.card_cvv.length)) return;
  context.addIssue({ code: 'custom', path: ['card_cvv'], message: `must have ${digits.join(' or ')} digits for this card` });
}

export const customer = z
  .object(
    {
      name: prose(100),
      email: text
        .regex(/^[!-?A-~]{1,64}@[!-?A-~]{1,189}$/, 'email must be an address')
        .refine((value) => !hasCardNumber(value), 'email must not have a card number'),
      phone: text
        .regex(/^\+?[0-9]{6,15}$/, 'phone must be 6 to 15 digits')
        .refine((value) => !hasCardNumber(value), 'phone must not be a card number'),
    },
    { error: (issue) => (issue.input === undefined ? 'is required' : 'must be an object of name, email and phone') },
  )
  .meta({ id: 'CardCustomerInput', description: 'Who pays.' });
