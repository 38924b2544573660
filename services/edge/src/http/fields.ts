import {
  hasCardNumber,
  isPlainText,
  PLAIN_TEXT_PATTERN,
  parseAmount,
  parseAmountNumber,
  URL_LENGTH_MAX,
  webUrlProblem,
} from '@gerbang/core';
import { z } from 'zod';

const ULID = '01JDX0W5B6Q3G8V2K4N7M9PRST';

/** Text that UTF-8 can carry: a lone surrogate would reach the other side as another text than the one that was signed. */
export const text = z
  .string({ error: (issue) => (issue.input === undefined ? 'is required' : 'must be a string') })
  .refine((value) => value.isWellFormed(), 'must be valid Unicode text');

/** Text without control characters: what references are made of (contract §2). */
const plainText = text.refine(isPlainText, 'must not have control characters').meta({ pattern: PLAIN_TEXT_PATTERN });

/** No such text may be longer. What is, is refused for its length: looking for card numbers in 256 KiB would take a second. */
const PROSE_UNITS_MAX = 1_024;

/** The same without a card number in it: names, titles, notes and descriptions (contract §2). */
const proseText = plainText
  .refine((value) => value.length > PROSE_UNITS_MAX || !hasCardNumber(value), 'must not have a card number')
  .meta({ pattern: PLAIN_TEXT_PATTERN });

/** A reference of the merchant's own, of 1 to so many characters. */
export const reference = (charactersMax: number) => bounded(plainText, 1, charactersMax);

/** A name or title of 1 to so many characters. */
export const prose = (charactersMax: number, { min = 1 } = {}) => bounded(proseText, min, charactersMax);

/** A reference that may be left out, or null; empty then. */
export const optionalReference = (charactersMax: number) => orEmpty(bounded(plainText, 0, charactersMax));

/** A name, note or description that may be left out, or null; empty then. */
export const optionalProse = (charactersMax: number) => orEmpty(bounded(proseText, 0, charactersMax));

/**
 * May be any text: the service that owns accounts says which are unknown, so a malformed one is no validation error (contract
 * §2).
 */
export const accountId = text.meta({
  id: 'AccountId',
  description: 'An account of the merchant, as `id` of it.',
  examples: [ULID],
});

/** An id in the path. It may be any text: one that no resource has is unknown, and no validation error (contract §2). */
export const idInPath = (description: string) => z.string().meta({ description });

/** An id in the path that is a number. Any other text becomes 0, which no resource has, so it is unknown too (contract §2). */
export const numberInPath = (description: string) =>
  z
    .string('may be given once')
    .meta({ description, override: { type: 'integer', format: 'int64', minimum: 1, maximum: 999_999_999_999_999 } })
    .transform(toNumericId);

/** A filter by an id that is a number. */
export const numberInQuery = (description: string) =>
  z
    .string('may be given once')
    .regex(/^[0-9]{1,15}$/, 'must be a whole number of at most 15 digits')
    .meta({ description, override: { type: 'integer', format: 'int64', minimum: 0, maximum: 999_999_999_999_999 } })
    .transform(toNumericId);

/** Parameters of a path that names no more than an account. */
export const ofAccount = z.object({ account_id: accountId });

/** Parameters of a path that names an account and something of it. */
export function inAccount<Shape extends z.ZodRawShape>(shape: Shape) {
  return ofAccount.extend(shape);
}

/** What may be left out, or null, and then is not there. */
export function orAbsent<S extends z.ZodType>(schema: S) {
  return schema.nullish().transform((value) => value ?? undefined);
}

/** One of these words. */
export function oneOf<const Words extends readonly [string, ...string[]]>(words: Words) {
  return z.enum(words, {
    error: (issue) =>
      issue.input === undefined
        ? 'is required'
        : `must be ${words.length > 2 ? 'one of ' : ''}${words.join(words.length > 2 ? ', ' : ' or ')}`,
  });
}

/** An address of a page on the web, as strict as the URLs of callback settings (contract §2). */
export const webUrl = text
  .superRefine((value, { addIssue }) => {
    const problem = webUrlProblem(value, { httpAllowed: true });
    if (problem !== undefined) addIssue(problem);
  })
  .meta({ format: 'uri', maxLength: URL_LENGTH_MAX });

const MS_MESSAGE = 'must be Unix milliseconds of 13 digits';
const AMOUNT_RANGE = 'greater than 0, at most 999999999999.99';
const AMOUNT_BOUNDS = `must be ${AMOUNT_RANGE}, with at most two decimals`;
/** What `parseAmount` takes: some digit is not a zero. */
const AMOUNT_PATTERN = '^0*([1-9][0-9]{0,11}(\\.[0-9]{1,2})?|0\\.(0[1-9]|[1-9][0-9]?))$';

/**
 * Unix milliseconds, a 13-digit string or integer (contract §2). Whether it is in the future is for the service to say, by
 * business time.
 */
export const unixMs = z
  .union([z.string(), z.number()], { error: (issue) => (issue.input === undefined ? 'is required' : MS_MESSAGE) })
  .meta({
    id: 'UnixMillisecondsInput',
    description: 'Unix milliseconds, 13 digits, as a string or an integer.',
    override: {
      anyOf: [
        { type: 'string', pattern: '^[0-9]{13}$' },
        { type: 'integer', format: 'int64', minimum: 1_000_000_000_000, maximum: 9_999_999_999_999 },
      ],
    },
  })
  .transform((value, problem) => {
    if (/^[0-9]{13}$/.test(String(value))) return BigInt(value);
    problem.addIssue(MS_MESSAGE);
    return z.NEVER;
  });

/** A v2 request amount, `{value, currency: "IDR"}`, in sen; what is wrong inside is an error of the amount (contract §2). */
export const moneyAmount = z
  .object(
    {
      value: z.string('value must be a string').meta({
        description: 'Digits with at most two decimals after a point.',
        pattern: AMOUNT_PATTERN,
        examples: ['150000.00'],
      }),
      currency: z.literal('IDR', 'currency must be IDR'),
    },
    { error: (issue) => (issue.input === undefined ? 'is required' : 'must be an object of value and currency') },
  )
  .meta({ id: 'MoneyInput', description: `Rupiah as a decimal with at most two places, ${AMOUNT_RANGE}.` })
  .transform(({ value }, problem) => parseAmount(value) ?? notAnAmount(problem));

/** A v1 request amount, a JSON number, in sen. */
export const numberAmount = numberAmountAs({
  id: 'AmountInput',
  description: `Rupiah with at most two decimals, ${AMOUNT_RANGE}.`,
  override: { type: 'number', format: 'double', minimum: 0.01, maximum: 999_999_999_999.99 },
});

/** The same where a product takes only some amounts: `meta` describes them in the document. */
export function numberAmountAs(meta: Parameters<z.ZodType['meta']>[0] & object) {
  return z
    .custom<number>((value) => typeof value === 'number', {
      error: (issue) => (issue.input === undefined ? 'is required' : 'must be a number'),
    })
    .meta(meta)
    .transform((value, problem) => parseAmountNumber(value) ?? notAnAmount(problem));
}

/** Counts characters as JSON Schema does, by code points. */
function bounded<S extends z.ZodType<string>>(schema: S, charactersMin: number, charactersMax: number) {
  const error =
    charactersMin === 0
      ? `must have at most ${charactersMax} characters`
      : `must have ${charactersMin} to ${charactersMax} characters`;
  return schema
    .refine((value) => value.length >= charactersMin && (value.length <= charactersMax || [...value].length <= charactersMax), {
      error,
    })
    .meta({ ...schema.meta(), minLength: charactersMin, maxLength: charactersMax });
}

/** Text that may be left out, or null; empty then. */
function orEmpty<S extends z.ZodType<string>>(schema: S) {
  return schema.nullish().transform((value) => value ?? '');
}

function notAnAmount(problem: { addIssue(message: string): void }): never {
  problem.addIssue(AMOUNT_BOUNDS);
  return z.NEVER;
}

function toNumericId(text: string): bigint {
  return /^[0-9]{1,15}$/.test(text) ? BigInt(text) : 0n;
}
