import { AMOUNT_MAX_SEN, hasCardNumber, isPlainText, isUlid, PRODUCTS, RefusalError, refuse } from '@gerbang/core';
import { z } from 'zod';
import { isIpRange } from './ip-range.ts';

const WHITELIST_MAX = 100;
const ACCOUNTS_MAX = 20;
/** The largest time that a date can hold. */
const TIME_MAX_MS = 8_640_000_000_000_000n;

const name = z
  .string()
  .trim()
  .min(1, 'must not be empty')
  .max(100, 'must have at most 100 characters')
  .refine(isPlainText, 'must not have control characters')
  .refine((text) => !hasCardNumber(text), 'must not have a card number');

/** Schemas of the fields that operators' commands share. Requests are protobuf messages; their properties are the keys here. */
export const field = {
  name,
  merchantId: z.string().refine(isUlid, 'must be a ULID'),
  accountId: z.string().refine(isUlid, 'must be a ULID'),
  clientId: z.string().min(1, 'must not be empty').max(64, 'is too long'),
  whitelist: z
    .array(z.string().refine(isIpRange, 'must be IPv4 or IPv6 addresses or CIDR ranges'))
    .max(WHITELIST_MAX, `must have at most ${WHITELIST_MAX} entries`)
    .transform((entries) => [...new Set(entries)]),
  product: z.enum(PRODUCTS, 'is not a product'),
  products: z.array(z.enum(PRODUCTS, 'is not a list of products')).transform((products) => [...new Set(products)]),
  accountNames: z
    .array(name)
    .min(1, 'must name at least one account')
    .max(ACCOUNTS_MAX, `must name at most ${ACCOUNTS_MAX} accounts`),
  sen: z.bigint().min(0n, 'must not be negative').max(AMOUNT_MAX_SEN, 'is too large'),
  wholeRupiahSen: z
    .bigint()
    .min(0n, 'must not be negative')
    .max(AMOUNT_MAX_SEN, 'is too large')
    .refine((sen) => sen % 100n === 0n, 'must be whole rupiah'),
  positiveSen: z.bigint().min(1n, 'must be more than 0').max(AMOUNT_MAX_SEN, 'is too large'),
  basisPoints: z.int().min(0, 'must not be negative').max(10_000, 'is more than the whole amount'),
  timeMs: z.bigint().min(0n, 'must not be negative').max(TIME_MAX_MS, 'is too late').transform(Number),
  channel: z.string().regex(/^[\x21-\x7e]{0,32}$/, 'must be at most 32 printable characters'),
  operationId: z.string().regex(/^[\x21-\x7e]{1,64}$/, 'must be 1 to 64 printable characters without blanks'),
  rail: z.string().regex(/^[a-z][a-z0-9-]{0,31}$/, 'must be the name of a rail'),
};

/** What a command takes, checked. Refusals: validation, naming each field that is wrong as the contract does (snake_case). */
export function parse<Shape extends z.ZodRawShape>(shape: Shape, request: object): z.output<z.ZodObject<Shape>> {
  const parsed = z.object(shape).safeParse(request);
  if (parsed.success) return parsed.data;
  const errors: Record<string, string[]> = {};
  for (const issue of parsed.error.issues) {
    const name = issue.path
      .filter((part) => typeof part === 'string')
      .map(snakeCase)
      .join('.');
    const messages = errors[name] ?? [];
    if (!messages.includes(issue.message)) errors[name] = [...messages, issue.message];
  }
  const message = Object.entries(errors)
    .map(([name, messages]) => `${name}: ${messages.join(', ')}`)
    .join('; ');
  throw new RefusalError(refuse('validation', { message, errors }));
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
