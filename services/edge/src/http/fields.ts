import { parseAmount, parseAmountNumber } from '@gerbang/core';
import { z } from 'zod';

/** Text that UTF-8 can carry: a lone surrogate would reach the other side as another text than the one that was signed. */
export const text = z
  .string({ error: (issue) => (issue.input === undefined ? 'is required' : 'must be a string') })
  .refine((value) => value.isWellFormed(), 'must be valid Unicode text');

/** Text that may be left out, or null; empty then. */
export const optionalText = (charactersMax: number) =>
  text
    .refine((value) => value.length <= charactersMax || [...value].length <= charactersMax, {
      error: `must have at most ${charactersMax} characters`,
    })
    .nullish()
    .transform((value) => value ?? '');

/** An account is only said to be unknown by the service that owns it: whatever else the text is, it is no other error (contract §2). */
export const accountId = text;

/** contract §2: unique per account over all money-out products. */
export const referenceNumber = text.regex(/^[\x20-\x7e]{1,64}$/, 'must be 1 to 64 printable ASCII characters');

/** A three-digit national code or an eight-character SWIFT code; whether the bank exists is the product's to say. */
export const bankCode = text.regex(
  /^(?:[0-9]{3}|[A-Z]{6}[A-Z0-9]{2})$/,
  'must be a three-digit national code or an eight-character SWIFT code',
);

export const bankAccountNumber = text.regex(/^[0-9]{6,30}$/, 'must be 6 to 30 digits');

const AMOUNT_BOUNDS = 'must be greater than 0, at most 999999999999.99, with at most two decimals';

/** A v2 request amount, `{value, currency: "IDR"}`, in sen; what is wrong inside is an error of the amount (contract §2). */
export const moneyAmount = z
  .object(
    {
      value: z.string('value must be a string'),
      currency: z.literal('IDR', 'currency must be IDR'),
    },
    { error: (issue) => (issue.input === undefined ? 'is required' : 'must be an object of value and currency') },
  )
  .transform(({ value }, problem) => parseAmount(value) ?? notAnAmount(problem));

/** A v1 request amount, a JSON number, in sen. */
export const numberAmount = z
  .custom<number>((value) => typeof value === 'number', {
    error: (issue) => (issue.input === undefined ? 'is required' : 'must be a number'),
  })
  .transform((value, problem) => parseAmountNumber(value) ?? notAnAmount(problem));

function notAnAmount(problem: { addIssue(message: string): void }): never {
  problem.addIssue(AMOUNT_BOUNDS);
  return z.NEVER;
}
