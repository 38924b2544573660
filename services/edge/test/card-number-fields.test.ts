import { expect, test } from 'vitest';
import { z } from 'zod';
import { billerRoutes } from '../src/routes/biller.ts';
import { routes } from '../src/routes/index.ts';

/** Names, titles, notes and descriptions of a body (contract §2), also inside of its objects. */
const PROSE = /(?:^|_)(?:name|title|note|description)$/;

type Field = { operation: string; path: string[]; schema: z.ZodType };

function fieldsOf(operation: string, schema: z.ZodType, path: string[] = []): Field[] {
  const inner = unwrap(schema);
  if (!(inner instanceof z.ZodObject)) return [{ operation, path, schema }];
  return Object.entries(inner.shape).flatMap(([name, field]) => fieldsOf(operation, field, [...path, name]));
}

function unwrap(schema: unknown): unknown {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
    return unwrap(schema.unwrap());
  return schema instanceof z.ZodPipe ? unwrap(schema.in) : schema;
}

const prose = [...routes, ...billerRoutes].flatMap(({ method, path, operation }) => {
  const { body } = operation.input.shape;
  const fields = body === undefined ? [] : fieldsOf(`${method} ${path}`, body);
  return fields.filter(({ path: names }) => PROSE.test(names.at(-1) ?? ''));
});

const CARDS = ['4811111111111114', '4811 1111 1111 1114', '378282246310005', '4000-0000-0000-0000-006'];

test('every product has such fields', () => {
  expect(prose.map(({ operation, path }) => `${operation} ${path.join('.')}`)).toEqual(
    expect.arrayContaining([
      'POST /api/v1.0/accounts name',
      'POST /api/v1.0/disbursement/transfer description',
      'POST /api/v2.0/disbursement/transfer bank_account_name',
      'POST /api/v2.0/direct-debit/charge description',
    ]),
  );
  expect(prose.length).toBeGreaterThanOrEqual(14);
});

test.each(prose.map((field) => [`${field.operation} ${field.path.join('.')}`, field.schema] as const))(
  '%s takes no card number',
  (_, schema) => {
    expect(schema.safeParse('Warung Bu Sri 12').success).toBe(true);
    for (const card of CARDS) {
      const messages = schema.safeParse(`a ${card} b`).error?.issues.map(({ message }) => message);
      expect(messages, card).toEqual(['must not have a card number']);
    }
  },
);

test.each(prose.map((field) => [`${field.operation} ${field.path.join('.')}`, field.schema] as const))(
  '%s is not searched where it is far too long',
  (_, schema) => {
    const messages = schema.safeParse(`${CARDS[0]} `.repeat(100)).error?.issues.map(({ message }) => message);
    expect(messages).toEqual([expect.stringMatching(/^must have .*characters$/)]);
  },
);
