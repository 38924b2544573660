import { readFileSync } from 'node:fs';
import { prepaidInquirySchema, prepaidPaymentSchema } from '@gerbang/present';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { inquirePrepaid } from '../src/routes/prepaid/inquiry.ts';
import { payPrepaid } from '../src/routes/prepaid/payment.ts';

const page = readFileSync(new URL('../../../docs/biller.md', import.meta.url), 'utf8');
const blocks: unknown[] = [...page.matchAll(/```json\n([\s\S]*?)```/g)].map(([, text = '']) => JSON.parse(text));

const answerOf = (data: z.ZodType) =>
  z.strictObject({ command: z.literal('plntok'), response_code: z.literal('00'), response_text: z.literal('Success'), data });

test('the payloads of docs/biller.md are those of the code, in the order of use', () => {
  const [inquiry, price, payment, paid, ...more] = blocks;
  expect(more).toEqual([]);
  for (const [operation, body] of [
    [inquirePrepaid, inquiry],
    [payPrepaid, payment],
  ] as const) {
    expect(operation.input.safeParse({ body }).error).toBeUndefined();
  }
  for (const [schema, answer] of [
    [prepaidInquirySchema, price],
    [prepaidPaymentSchema, paid],
  ] as const) {
    expect(answerOf(schema).parse(answer)).toEqual(answer);
  }
});
