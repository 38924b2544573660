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

/**
 * An account is only said to be unknown by the service that owns it: any other text is the same error (contract
 * §2).
 */
export const accountId = text;

/** What may be left out, or null, and then is not there. */
export function orAbsent<S extends z.ZodType>(schema: S) {
  return schema.nullish().transform((value) => value ?? undefined);
}

/** Text of 1 to so many characters. */
export const textUpTo = (charactersMax: number) =>
  text.refine((value) => value !== '' && (value.length <= charactersMax || [...value].length <= charactersMax), {
    error: `must have 1 to ${charactersMax} characters`,
  });

/** An address of a page on the web. */
export const webUrl = text.refine((value) => value.length <= 2_048 && isWebUrl(value), 'must be an http or https URL');

const MS_MESSAGE = 'must be Unix milliseconds of 13 digits';
const AMOUNT_BOUNDS = 'must be greater than 0, at most 999999999999.99, with at most two decimals';

/**
 * Unix milliseconds, a 13-digit string or integer (contract §2). Whether it is in the future is for the service to say, by
 * business time.
 */
export const unixMs = z
  .union([z.string(), z.number()], { error: (issue) => (issue.input === undefined ? 'is required' : MS_MESSAGE) })
  .transform((value, problem) => {
    if (/^[0-9]{13}$/.test(String(value))) return BigInt(value);
    problem.addIssue(MS_MESSAGE);
    return z.NEVER;
  });

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

function isWebUrl(value: string): boolean {
  const url = URL.parse(value);
  return url !== null && (url.protocol === 'https:' || url.protocol === 'http:') && url.username === '' && url.password === '';
}

/** An id that is a number. Any other text becomes 0, which no resource has: an unknown id is no other error (contract §2). */
export function numberInPath(text: string): bigint {
  return /^[0-9]{1,15}$/.test(text) ? BigInt(text) : 0n;
}
