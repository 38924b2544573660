import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type Edge, startEdge } from './edge-harness.ts';

/** Of the API's document what tells which fields there are. */
const reference = z.object({ $ref: z.string() });
const body = z.object({ content: z.record(z.string(), z.object({ schema: z.union([reference, z.unknown()]) })) });
const documentSchema = z.object({
  paths: z.record(z.string(), z.record(z.string(), z.object({ requestBody: body.optional() }))),
  components: z.object({
    schemas: z.record(z.string(), z.object({ properties: z.record(z.string(), z.unknown()).optional() })),
  }),
});
const document = documentSchema.parse(JSON.parse(readFileSync(new URL('../../../docs/openapi.json', import.meta.url), 'utf8')));

const TEXT = /(?:^|_)(?:name|title|description|note|reff_no|reference_number|customer_id)$/;
const REDIRECT = /redirect_url$/;
const BILLER = '/api/v1/prepaid/';
const ACCOUNT = '01JDX0W5B6Q3G8V2K4N7M9PRST';

/** Every field of a body whose name fits: method, path, field. */
function fieldsNamed(pattern: RegExp): [string, string, string][] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { requestBody }]) => {
      const named = reference.safeParse(requestBody?.content['application/json']?.schema).data;
      const schema = document.components.schemas[named?.$ref.replace('#/components/schemas/', '') ?? ''];
      const properties = path.startsWith(BILLER) ? [] : Object.keys(schema?.properties ?? {});
      const names = properties.filter((name) => pattern.test(name));
      return names.map((name): [string, string, string] => [method.toUpperCase(), path, name]);
    }),
  );
}

let edge: Edge;
beforeAll(async () => {
  edge = await startEdge({ RATE_LIMIT_RETAIL_PER_MINUTE: '1000' });
});
afterAll(() => edge?.close());

/** The messages of a field, in the envelope of v1 or v2. */
async function errorsOf(method: string, path: string, field: string, value: string): Promise<unknown> {
  const url = path.replace('{account_id}', ACCOUNT).replaceAll(/\{\w+\}/g, '1');
  const { json } = await edge.sendSigned(edge.merchant(), method, url, { [field]: value });
  const { errors } = z.object({ errors: z.record(z.string(), z.unknown()) }).parse(json.data);
  return errors[field];
}

test('the document names the fields that this is about', () => {
  const found = fieldsNamed(TEXT).map(([, , field]) => field);
  const wanted = ['name', 'title', 'description', 'note', 'merchant_reff_no', 'reference_number', 'customer_id', 'customer_name'];
  expect([...new Set(found)]).toEqual(expect.arrayContaining(wanted));
  expect(fieldsNamed(REDIRECT).length).toBeGreaterThanOrEqual(4);
});

describe.each(fieldsNamed(TEXT))('%s %s: %s', (method, path, field) => {
  test.each(['a\u0000b', 'a\nb', 'a\u007fb', 'a\u202eb', 'a\u202ab', 'a\u2066b', 'a\u2069b'])('may not be %j', async (value) => {
    expect(await errorsOf(method, path, field, value)).toEqual([expect.stringMatching(/control characters|printable ASCII/)]);
  });
});

describe.each(fieldsNamed(REDIRECT))('%s %s: %s', (method, path, field) => {
  test.each([
    'javascript:alert(1)',
    '//shop.example',
    'https:/shop.example',
    'https://a@shop.example',
    'https://shop.example\\@evil.example',
    'https://shop.example/ x',
    'https://shop.example/\u0007',
    'https://shop.example/\u202e',
  ])('may not be %j', async (value) => {
    expect(await errorsOf(method, path, field, value)).toHaveLength(1);
  });
});

test.each(['%E2%80%AE', 'a%00b', '%0A'])('an id of %s in the path is unknown, and reaches no log or answer', async (id) => {
  const merchant = edge.merchant();
  const reply = await edge.send('GET', `/api/v1.0/balance-inquiry/${id}`, { headers: edge.signedIn(merchant) });
  expect(reply.http).toBe(404);
  expect(reply.text).not.toContain(decodeURIComponent(id));
});

test('a filter by a reference may have no control characters either', async () => {
  const path = `/api/v1.0/virtual-accounts/${ACCOUNT}?merchant_reff_no=a%E2%80%AEb`;
  const reply = await edge.send('GET', path, { headers: edge.signedIn(edge.merchant()) });
  expect([reply.http, reply.json.data]).toEqual([422, { errors: { merchant_reff_no: ['must not have control characters'] } }]);
});
